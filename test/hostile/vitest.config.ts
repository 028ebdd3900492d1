import { defineConfig } from 'vitest/config'
import { project } from '../../vitest.config.js'

const { test, ...rest } = project('hostile', { include: ['test/hostile/**/*.test.ts'] })

/** The attacks, run by `npm run test:hostile`: they take too long for `npm test`. */
export default defineConfig({
  ...rest,
  test: { ...test, testTimeout: 300_000 },
})
