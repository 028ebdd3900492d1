import { afterAll, beforeAll, vi } from 'vitest'
import type { TenantDatabase } from '../../conformance/tenant-database.js'
import { describeResponses } from '../../conformance/tenant-responses.js'
import { openEmbedded } from '../../integrations/postgres/embedded.js'

// Ends what hangs; nothing is timed.
vi.setConfig({ testTimeout: 60_000 })

let database: TenantDatabase
beforeAll(async () => {
  database = await openEmbedded()
})
afterAll(() => database[Symbol.asyncDispose]())

describeResponses(() => database)
