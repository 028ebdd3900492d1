import { describeTenantDatabase } from '../../conformance/tenant-database.js'
import { openEmbedded } from './support.js'

describeTenantDatabase('PGlite', { open: openEmbedded, transactions: 2_000 })
