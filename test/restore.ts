import { afterAll, vi } from 'vitest'

// Runs after each file: its process goes on with the next one.
afterAll(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
})
