import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    name: 'runtimes',
    root: fileURLToPath(new URL('.', import.meta.url)),
    include: ['*.test.ts'],
    // Each test starts a server, which is slow on a busy machine.
    testTimeout: 120_000,
  },
})
