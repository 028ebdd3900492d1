import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    name: 'site',
    root: fileURLToPath(new URL('.', import.meta.url)),
    include: ['test/*.test.ts'],
    globalSetup: fileURLToPath(new URL('../test/browser/start-chromium.ts', import.meta.url)),
    // A build takes a minute on a busy machine.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 30_000 } },
  },
})
