// bench/RESULTS.md and its plots, drawn from numbers that were written down before: `npm run bench -- --draw` draws them again
// without measuring.
//
// A section of the page is two files of one name, here `boot`:
//
//   bench/results/boot.json   spread and ratios of what was measured (summary.mjs), not the rounds; written by
//                             `saveResults('boot', results)`, which also draws the page. Keep what a reader has to
//                             know beside the numbers: `commandOf()`, rounds, seconds, and `readEnvironment()` and
//                             `readVersions([...])` of environment.mjs.
//   bench/sections/boot.mjs   how it reads: `export function section(results)` returns `{ title, body, goals, plots }`.
//
// and one line in SECTIONS, which is the order of the page. A section without results is left out.
//
//   body    Markdown, headings from ### on
//   goals   the rows of the table of goals, in their order:
//     {
//       id: 'boot/nest',                          names it in bench/reasons.json
//       what: 'boot of 1,000 routes, of NestJS',
//       most: { default: 0.5, 24: 0.4 },          the limit, for Nodes apart if it differs; `least` where more is better
//       unit: '×',
//       measured: { 20: 0.31, 24: 0.3 },          by major version of Node
//       note: { 20: '0.29' },                     optional, in parentheses: the same by instructions
//     }
//   plots   optional: what `drawBars` of peers/draw-bars.mjs is told, with the `name` of the file in bench/plots
//
// bench/reasons.json says by `id` why a goal that was missed is missed; measuring again leaves it as it is.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { goalsTable, missedReasons } from './goals.mjs'

export { markdownTable, median } from './tables.mjs'

const here = import.meta.dirname
const PAGE = join(here, 'RESULTS.md')
const SECTIONS = [
  'requests',
  'features',
  'boot',
  'startup',
  'postgres',
  'field',
  'types',
  'scale',
  'workers',
  'streams',
  'uploads',
  'idle',
  'serializer',
]

/** The results of a section, or nothing when it was never measured. */
export function readResults(name) {
  const file = fileOf(name)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

/** Writes the results of a section down and draws everything with them. */
export async function saveResults(name, results) {
  mkdirSync(join(here, 'results'), { recursive: true })
  writeFileSync(fileOf(name), stringify(results))
  await drawReport()
}

/** Draws the page and the plots from all results that there are. */
export async function drawReport() {
  const sections = await readSections()
  writeFileSync(PAGE, page(sections))
  await drawPlots(sections.flatMap(({ plots = [] }) => plots))
}

/** Throws when the page does not say what the results are: a number that was changed by hand, or results that were not drawn. */
export async function checkReport() {
  if (readFileSync(PAGE, 'utf8') === page(await readSections())) return
  throw new Error(`${PAGE} differs from bench/results: npm run bench -- --draw`)
}

async function readSections() {
  const sections = []
  for (const name of SECTIONS) {
    const results = readResults(name)
    if (results === undefined) continue
    const { section } = await import(`./sections/${name}.mjs`)
    sections.push(section(results))
  }
  return sections
}

/** What draws is one of the peers' packages, and who measures something else may not have installed them; then plots stay as they are. */
async function drawPlots(plots) {
  if (!existsSync(join(here, 'peers', 'node_modules', 'echarts'))) {
    return console.error(
      'The plots were not drawn: npm run bench -- --draw installs what draws them.',
    )
  }
  const { drawBars } = await import('./peers/draw-bars.mjs')
  mkdirSync(join(here, 'plots'), { recursive: true })
  for (const { name, ...plot } of plots) {
    writeFileSync(join(here, 'plots', `${name}.svg`), drawBars(plot))
  }
}

function fileOf(name) {
  return join(here, 'results', `${name}.json`)
}

/** JSON with a line for each list and each summary, so that a difference between two runs can be read. */
function stringify(results) {
  const text = JSON.stringify(results, null, 1)
  const oneLine = (found) => found.replace(/\s*\n\s*/g, ' ')
  return `${text.replace(/\[[^[\]{}]*\]|\{\s*"least"[^{}]*\}/g, oneLine)}\n`
}

function page(sections) {
  const goals = sections.flatMap((section) => section.goals)
  const reasons = JSON.parse(readFileSync(join(here, 'reasons.json'), 'utf8'))
  return `# Benchmark

Written by the commands named below from the numbers in \`bench/results/\`; \`npm run bench -- --draw\` writes it again without measuring.

## Goals

Requests are judged by instructions where they are known; in parentheses, the same by time. All else is judged by time, with instructions in
parentheses. See [how to read it](#how-to-read-it).

${goalsTable(goals)}

${missedReasons(goals, reasons)}

${sections.map(({ title, body }) => `## ${title}\n\n${body}`).join('\n\n')}
`
}
