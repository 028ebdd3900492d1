import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { project } from '../../vitest.config.js'

/** Files, and folders of them, that `run.mjs` names: the tests of the room that is changed. */
const tests: string[] = JSON.parse(process.env['MUTANTS_TESTS'] ?? '[]')
const include = tests.map((path) => (path.endsWith('.ts') ? path : `${path}/**/*.test.ts`))

/** Tests that build the package: the compiler refuses the source with all its changes. */
const BUILDING = ['test/journeys/express/apm.long.test.ts']

const exclude = ['test/**/*.legacy.test.ts', ...BUILDING]
const { test, ...rest } = project('standard', { include, exclude })

export default defineConfig({
  ...rest,
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test,
})
