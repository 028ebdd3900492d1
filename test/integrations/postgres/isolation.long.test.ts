import { describeTenantDatabase } from '../../conformance/tenant-database.js'
import { describeWithServer } from './server.js'
import { openServer } from './support.js'

describeWithServer('with a server', () => {
  describeTenantDatabase('PostgreSQL', { open: openServer, transactions: 4000 })
})
