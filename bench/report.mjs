// bench/RESULTS.md, drawn from numbers that were written down before, so that it can be drawn again without measuring.
//
// A section of the page is two files of one name, here `boot`:
//
//   bench/results/boot.json   what was measured, raw, in whatever shape suits it; written by `saveResults('boot', results)`, which
//                             also draws the page. Keep what a reader has to know beside the numbers: `readEnvironment()` and
//                             `readVersions([...])` of environment.mjs, rounds, seconds.
//   bench/sections/boot.mjs   how it reads: `export function section(results)` returns `{ title, body, goals }`. `body` is Markdown
//                             (headings from ### on). `goals` is a list, in the order of the table:
//
//     {
//       id: 'boot/nest',                          names it in bench/reasons.json
//       what: 'boot of 1,000 routes, of NestJS',  a row of the table of goals
//       most: { default: 0.5, 24: 0.4 },          the limit, for Nodes apart if it differs; `least` where more is better
//       unit: '×',
//       measured: { 20: 0.31, 24: 0.3 },          by major version of Node
//       note: { 20: '0.29 by instructions' },     optional: shown in parentheses
//     }
//
// and one line in SECTIONS, which is the order of the page. A section without results is left out. bench/reasons.json says by `id`
// why a goal that was missed is missed; measuring again leaves it as it is.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { goalsTable, missedReasons } from './goals.mjs'

export { markdownTable, median } from './tables.mjs'

const here = import.meta.dirname
const SECTIONS = ['requests', 'boot', 'startup', 'scale']

/** The results of a section, or nothing when it was never measured. */
export function readResults(name) {
  const file = fileOf(name)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

/** Writes the results of a section down and draws the page with them. */
export async function saveResults(name, results) {
  mkdirSync(join(here, 'results'), { recursive: true })
  writeFileSync(fileOf(name), stringify(results))
  await drawReport()
}

/** Draws the page from all results that there are. */
export async function drawReport() {
  const sections = []
  for (const name of SECTIONS) {
    const results = readResults(name)
    if (results === undefined) continue
    const { section } = await import(`./sections/${name}.mjs`)
    sections.push(section(results))
  }
  writeFileSync(join(here, 'RESULTS.md'), page(sections))
}

function fileOf(name) {
  return join(here, 'results', `${name}.json`)
}

/** JSON with a line for each list of numbers, so that a difference between two runs can be read. */
function stringify(results) {
  const text = JSON.stringify(results, null, 1)
  return `${text.replace(/\[\s+([^[\]{}]*?)\s+\]/g, (_, inner) => `[${inner.replace(/\s*\n\s*/g, ' ')}]`)}\n`
}

function page(sections) {
  const goals = sections.flatMap((section) => section.goals)
  const reasons = JSON.parse(readFileSync(join(here, 'reasons.json'), 'utf8'))
  return `# Benchmark

Written by \`npm run bench\` and the commands named below, from the numbers in \`bench/results/\`; \`npm run bench -- --draw\` draws it again
without measuring.

## Goals

${goalsTable(goals)}

${missedReasons(goals, reasons)}

${sections.map(({ title, body }) => `## ${title}\n\n${body}`).join('\n\n')}
`
}
