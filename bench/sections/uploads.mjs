// What a form with a large file costs: bench/uploads.mjs.
import { describeEnvironment } from '../environment.mjs'
import { summarizeLanes } from '../summary.mjs'
import { markdownTable } from '../tables.mjs'

export const LANES = { busboy: '`@fastify/busboy` alone', blazon: 'Blazon' }

/** What is kept: of `milliseconds`, those of each round by lane; of `counts`, instructions of a megabyte. */
export function keepUploads({ milliseconds, counts, megabytes }) {
  const columns = Object.entries(milliseconds).map(([lane, list]) => [
    lane,
    {
      milliseconds: list,
      perSecond: list.map((ms) => megabytes / (ms / 1000)),
      instructions: counts && [counts[lane]],
    },
  ])
  const pairs = [['blazon', 'busboy']]
  const fields = { spread: ['milliseconds', 'perSecond'], middle: ['instructions'], pairs }
  return summarizeLanes(Object.fromEntries(columns), fields)
}

const times = (value) => (value === undefined ? '' : `${value.toFixed(2)}×`)

/** A row for each lane on one Node. */
export function nodeTable({ lanes }) {
  const rows = Object.entries(lanes).map(
    ([lane, { milliseconds, perSecond, instructions, of }]) => [
      LANES[lane],
      milliseconds.median.toFixed(1),
      times(of?.busboy.milliseconds.median),
      Math.round(perSecond.median),
      instructions === undefined ? '' : (instructions / 1000).toFixed(0),
      times(of?.busboy.instructions),
    ],
  )
  const head = [
    '',
    'ms of CPU',
    'of busboy',
    'MB a second of CPU',
    'thousand instructions a MB',
    'of busboy',
  ]
  return markdownTable(head, rows)
}

function goalsOf(nodes) {
  const ratios = Object.entries(nodes).map(([major, { lanes }]) => [major, lanes.blazon.of.busboy])
  const notes = ratios.filter(([, { instructions }]) => instructions !== undefined)
  return [
    {
      id: 'uploads/busboy',
      what: 'upload of 100 MB, of busboy alone',
      most: { default: 1.1 },
      unit: '×',
      measured: Object.fromEntries(
        ratios.map(([major, { milliseconds }]) => [major, milliseconds.median]),
      ),
      note: Object.fromEntries(
        notes.map(([major, { instructions }]) => [major, instructions.toFixed(2)]),
      ),
    },
  ]
}

export function section({ nodes }) {
  const tables = Object.values(nodes).map(
    ({ node, environment, rounds, ...measured }) =>
      `### Node ${node}: a form with a file of ${measured.megabytes} MB

${nodeTable(measured)}

${rounds} rounds. ${describeEnvironment(environment)}`,
  )
  return {
    title: 'Uploads',
    goals: goalsOf(nodes),
    body: `Written by \`npm run bench:uploads\`. Both read the bytes of the file as they arrive, and add up their number. Blazon checks the form, the size and the
type as well, and its handler reads the file with \`for await\`. Instructions are counted over a form of 20 MB.

${tables.join('\n\n')}`,
  }
}
