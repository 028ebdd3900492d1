import { afterAll, beforeAll } from 'vitest'
import type { TenantDatabase } from '../../conformance/tenant-database.js'
import { describeResponses } from '../../conformance/tenant-responses.js'
import { openEmbedded } from '../../integrations/postgres/embedded.js'

// Ends a test that hangs. No test measures time.

let database: TenantDatabase
beforeAll(async () => {
  database = await openEmbedded()
})
afterAll(() => database[Symbol.asyncDispose]())

describeResponses(() => database)
