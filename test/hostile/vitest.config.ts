import { defineConfig } from 'vitest/config'
import { dialect } from '../../vitest.config.js'

const { test, ...project } = dialect('standard', ['test/hostile/**/*.test.ts'])

/** The attacks, run by `npm run test:hostile`: they take too long for `npm test`. */
export default defineConfig({
  ...project,
  test: { ...test, name: 'hostile', testTimeout: 300_000 },
})
