import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { dialect } from '../../vitest.config.js'

/** Files, and folders of them, that `run.mjs` names: the tests of the room that is changed. */
const tests: string[] = JSON.parse(process.env['MUTANTS_TESTS'] ?? '[]')
const include = tests.map((path) => (path.endsWith('.ts') ? path : `${path}/**/*.test.ts`))

/** Tests that build the package: the compiler refuses the source with all its changes. */
const BUILDING = ['test/journeys/express/apm.test.ts']

const { test, ...project } = dialect('standard', include, ['test/**/*.legacy.test.ts', ...BUILDING])

export default defineConfig({
  ...project,
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test,
})
