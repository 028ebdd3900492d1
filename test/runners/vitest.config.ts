import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    name: 'runners',
    root: fileURLToPath(new URL('.', import.meta.url)),
    include: ['*.test.ts'],
    globalSetup: './install-package.ts',
    // Each test is a run of a whole runner, which is slow on a busy machine.
    testTimeout: 120_000,
  },
})
