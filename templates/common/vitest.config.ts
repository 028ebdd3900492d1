import { blazon } from 'blazon/vite'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  // Vite 8 does not compile decorators.
  plugins: [blazon()],
  test: {
    include: ['test/**/*.test.ts'],
    // In milliseconds. They end what hangs; a busy machine may be slow.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
