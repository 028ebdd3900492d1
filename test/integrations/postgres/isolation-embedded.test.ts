import { describeTenantDatabase } from '../../conformance/tenant-database.js'
import { openEmbedded } from './embedded.js'

describeTenantDatabase('PGlite', { open: openEmbedded, transactions: 5_000 })
