import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    name: 'scaffold',
    root: fileURLToPath(new URL('.', import.meta.url)),
    include: ['*.test.ts'],
    // Two projects at a time: much of an installation is waiting. The files one by one, so that there are no more.
    maxConcurrency: 2,
    fileParallelism: false,
    // They only end what hangs: a project is installed, then tested on up to four versions of Node.
    testTimeout: 1_800_000,
    hookTimeout: 1_800_000,
  },
})
