import { afterAll, vi } from 'vitest'
import { endFile } from './after-file.js'

// Runs after each file: its process goes on with the next one.
afterAll(async () => {
  await endFile()
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
})
