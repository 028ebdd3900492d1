import { describeTenantDatabase } from '../../conformance/tenant-database.js'
import { describeWithServer } from './server.js'
import { openEmbedded, openServer } from './support.js'

describeWithServer('with a server', () => {
  describeTenantDatabase('PostgreSQL', { open: openServer, transactions: 20_000 })
})

describeTenantDatabase('PGlite', { open: openEmbedded, transactions: 4_000 })
