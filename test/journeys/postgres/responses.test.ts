import { afterAll, beforeAll, vi } from 'vitest'
import type { TenantDatabase } from '../../conformance/tenant-database.js'
import { describeResponses } from '../../conformance/tenant-responses.js'
import { openEmbedded } from '../../integrations/postgres/embedded.js'

// Ends a test that hangs. No test measures time.
vi.setConfig({ testTimeout: 60_000 })

let database: TenantDatabase
beforeAll(async () => {
  database = await openEmbedded()
})
afterAll(() => database[Symbol.asyncDispose]())

describeResponses(() => database)
