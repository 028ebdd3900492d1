import { describeTenantDatabase } from '../../conformance/tenant-database.js'
import { openEmbedded } from './embedded.js'

// PGlite has one connection and runs one transaction after the other. More would take minutes and show no more.
describeTenantDatabase('PGlite', { open: openEmbedded, transactions: 2000 })
