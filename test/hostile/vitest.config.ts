import { defineConfig } from 'vitest/config'
import { dialect } from '../../vitest.config.js'

const { test, ...project } = dialect('standard', ['test/hostile/**/*.test.ts'])

/** What attacks the framework, by `npm run test:hostile`: too long for every `npm test`, and run on every supported Node. */
export default defineConfig({
  ...project,
  test: { ...test, name: 'hostile', testTimeout: 300_000 },
})
