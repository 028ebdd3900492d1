import { describeTenantDatabase } from '../../conformance/tenant-database.js'
import { describeWithPgBouncer } from './pgbouncer.js'
import { openPgBouncer } from './support.js'

describeWithPgBouncer('with a pooler', () => {
  describeTenantDatabase('PostgreSQL behind PgBouncer', {
    open: openPgBouncer,
    transactions: 2000,
  })
})
