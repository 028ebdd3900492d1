import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    name: 'package',
    root: fileURLToPath(new URL('.', import.meta.url)),
    include: ['*.test.ts'],
    // Each test runs a compiler or a tool, on machines that do other things as well.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
