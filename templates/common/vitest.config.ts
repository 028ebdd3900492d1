import { blazon } from 'blazon/vite'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  // Vite 8 does not compile decorators.
  plugins: [blazon()],
  test: {
    include: ['test/**/*.test.ts'],
    // Limits in milliseconds for tests that hang. A busy machine may be slow.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
