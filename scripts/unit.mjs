// npm run unit -- [vitest options] [--for src/http/csv.ts …]: runs the tests. `--for` runs the tests for a file in
// `src/`, the most closely related first.
import { testsFor } from './tests-for.mjs'

const [node, script, ...given] = process.argv
const files = given.flatMap((arg, at) => (given[at - 1] === '--for' ? [arg] : []))
const rest = given.filter((arg, at) => arg !== '--for' && given[at - 1] !== '--for')
const tests = [...new Set(files.flatMap(testsFor))]
if (files.length > 0 && tests.length === 0) {
  console.error(`There is no test for ${files.join(', ')}: name a file of src/.`)
  process.exit(2)
}
if (files.length > 0) console.log(`${tests.length} test files: ${tests.join(', ')}`)
process.argv = [node, script, 'run', ...rest, ...tests]
await import('../node_modules/vitest/vitest.mjs')
