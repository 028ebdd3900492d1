// npm run test:runtimes [-- <part of a path> …] [-- --legacy] [-- --under Bun]: runs the journeys under Node, Bun and Deno, and
// writes the numbers to docs/runtimes.md. With parts of paths, it runs these files, and prints each failure; the numbers of the
// other files are those of earlier runs, which are in `.cache/runtimes/`.
import { parseArgs } from 'node:util'
import { compileJourneys, type Dialect, journeysOf } from './compile-journeys.js'
import { failuresOf, readResults, saveResults, tableOf, writePage } from './report.js'
import { type FileResult, runJourneys } from './run-journeys.js'
import { HOW_TO_FETCH, otherRuntimes, ownRuntime, type Runtime } from './runtimes.js'

const { values, positionals: parts } = parseArgs({
  options: {
    legacy: { type: 'boolean', default: false },
    under: { type: 'string', multiple: true, default: ['Node', 'Bun', 'Deno'] },
  },
  allowPositionals: true,
})
const dialect: Dialect = values.legacy ? 'legacy' : 'standard'
const runtimes: Runtime[] = []
for (const [name, runtime] of Object.entries({ Node: ownRuntime(), ...otherRuntimes() })) {
  if (!values.under.includes(name)) continue
  if (runtime === null) console.warn(`Skipped: ${name} is not installed. ${HOW_TO_FETCH}`)
  else runtimes.push(runtime)
}
const files = journeysOf(dialect).filter(
  (file) => parts.length === 0 || parts.some((part) => file.includes(part)),
)
if (files.length === 0) throw new Error('No journey has such a path.')
const folder = await compileJourneys(dialect)
const runUnder = async (runtime: Runtime) => {
  const result = await runJourneys(runtime, { folder, files, dialect })
  saveResults(dialect, runtime, result)
  console.log(`${files.length} files have run under ${runtime.name} ${runtime.version}.`)
  return [runtime, result] as const
}
// Together, because tests wait much.
const results = new Map<Runtime, readonly FileResult[]>(await Promise.all(runtimes.map(runUnder)))
if (parts.length > 0) console.log(failuresOf(results))
const saved = readResults(dialect)
console.log(tableOf(saved))
if (saved.size === 3 && dialect === 'standard') writePage(saved)
else console.log('docs/runtimes.md shows all runtimes, with standard decorators: not written.')
