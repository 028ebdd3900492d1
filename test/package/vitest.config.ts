import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    name: 'package',
    root: fileURLToPath(new URL('.', import.meta.url)),
    include: ['*.test.ts'],
    // Each test runs a compiler or a tool, which is slow on a busy machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
