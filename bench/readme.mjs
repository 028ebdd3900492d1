// The README's table of performance, which is a part of the table of goals.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { markdownTable } from './tables.mjs'

export const README = join(import.meta.dirname, '..', 'README.md')
const [BEGIN, END] = ['<!-- bench: begin -->', '<!-- bench: end -->']

/** What it shows, by the `id` of goals. */
const SHOWN = [
  'plain/node',
  'plain/fastify',
  'full/node',
  'full/fastify',
  'full/express',
  'full/nest-express',
  'middlewares/express',
  'memory',
  'p99',
]

/** The README with the goals that were measured between its markers. */
export function readmeWith(sections) {
  const goals = sections.flatMap((section) => section.goals)
  const text = readFileSync(README, 'utf8')
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)]
  if (begin === -1 || end === -1) throw new Error(`README.md has lost ${BEGIN} or ${END}.`)
  const before = text.slice(0, begin + BEGIN.length)
  return `${before}\n${table(goals)}\n${text.slice(end)}`
}

function table(goals) {
  const shown = SHOWN.map((id) => goals.find((goal) => goal.id === id)).filter(Boolean)
  const majors = [...new Set(shown.flatMap(({ measured }) => Object.keys(measured)))].sort()
  const rows = shown.map(({ what, measured }) => [
    what,
    ...majors.map((major) =>
      measured[major] === undefined ? '' : `${measured[major].toFixed(2)}×`,
    ),
  ])
  return markdownTable(['Blazon is', ...majors.map((major) => `Node ${major}`)], rows)
}
