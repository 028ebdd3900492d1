import { describeTenantDatabase } from '../../conformance/tenant-database.js'
import { openEmbedded } from './embedded.js'

// It has one connection and runs one transaction after the other: 20,000 take minutes on a busy machine, and show no more.
describeTenantDatabase('PGlite', { open: openEmbedded, transactions: 5_000 })
