// What a row of a stream costs, and what an open stream takes: bench/streams.mjs.
import { describeEnvironment } from '../environment.mjs'
import { summarizeLanes } from '../summary.mjs'
import { markdownTable } from '../tables.mjs'

/** Each with its title, and those that it is compared with. */
export const LANES = {
  rows: { title: '`res.write` for each row' },
  joined: { title: '`res.write` of joined rows', of: ['rows'] },
  blazon: { title: 'Blazon', of: ['rows', 'joined'] },
}

export const FORMATS = { lines: 'JSON Lines', events: 'Server-Sent Events', csv: 'CSV' }

const PAIRS = Object.entries(LANES).flatMap(([name, { of = [] }]) =>
  of.map((other) => [name, other]),
)
const OPEN_PAIRS = [['blazon', 'rows']]

/** What is kept: of `costs`, microseconds a row of each round; of `counts`, instructions; of `open`, bytes of an open stream. */
export function keepStreams({ costs, counts, open, growth }) {
  const formats = Object.entries(costs).map(([format, lanes]) => {
    const columns = Object.entries(lanes).map(([lane, microseconds]) => [
      lane,
      { microseconds, instructions: counts && [counts[format][lane]] },
    ])
    const fields = { spread: ['microseconds'], middle: ['instructions'], pairs: PAIRS }
    return [format, summarizeLanes(Object.fromEntries(columns), fields)]
  })
  const opened = Object.entries(open).map(([lane, list]) => [
    lane,
    { memory: list.map(({ memory }) => memory), heap: list.map(({ heap }) => heap) },
  ])
  const fields = { spread: ['memory', 'heap'], middle: [], pairs: OPEN_PAIRS }
  return {
    formats: Object.fromEntries(formats),
    open: summarizeLanes(Object.fromEntries(opened), fields),
    slowReader: growth,
  }
}

/** The tables of one Node. */
export function nodeTables({ formats, open }) {
  const rows = Object.entries(formats).flatMap(([format, lanes]) =>
    Object.entries(lanes).map(([lane, kept]) =>
      costRow(`${FORMATS[format]}, ${LANES[lane].title}`, kept),
    ),
  )
  const opened = Object.entries(open).map(([lane, { memory, heap }]) => [
    lane === 'rows' ? 'bare node:http' : LANES[lane].title,
    ...[memory, heap].map(({ median }) => kilo(median)),
  ])
  const head = [
    '',
    'µs a row',
    'of each row',
    'of joined rows',
    'instructions a row',
    'of each row',
    'of joined rows',
  ]
  return `${markdownTable(head, rows)}

${markdownTable(['an open stream', 'kB of memory', 'kB of heap'], opened)}`
}

const kilo = (bytes) => (bytes / 1024).toFixed(1)
const times = (value) => (value === undefined ? '' : `${value.toFixed(2)}×`)

function costRow(title, { microseconds, instructions, of = {} }) {
  return [
    title,
    microseconds.median.toFixed(2),
    times(of.rows?.microseconds.median),
    times(of.joined?.microseconds.median),
    instructions === undefined ? '' : Math.round(instructions),
    times(of.rows?.instructions),
    times(of.joined?.instructions),
  ]
}

const byNode = (nodes, pick) =>
  Object.fromEntries(
    Object.entries(nodes).flatMap(([major, measured]) => {
      const value = pick(measured)
      return value === undefined ? [] : [[major, value]]
    }),
  )

function lineGoal(nodes, { id, what, other }) {
  const instructions = byNode(nodes, ({ formats }) => formats.lines.blazon.of[other].instructions)
  return {
    id,
    what,
    most: { default: 1.15 },
    unit: '×',
    measured: byNode(nodes, ({ formats }) => formats.lines.blazon.of[other].microseconds.median),
    note: Object.fromEntries(
      Object.entries(instructions).map(([major, value]) => [major, value.toFixed(2)]),
    ),
  }
}

function goalsOf(nodes) {
  return [
    lineGoal(nodes, {
      id: 'streams/rows',
      what: 'a row of JSON Lines, of `res.write` for each row',
      other: 'rows',
    }),
    lineGoal(nodes, {
      id: 'streams/joined',
      what: 'a row of JSON Lines, of `res.write` of joined rows',
      other: 'joined',
    }),
    {
      id: 'streams/open',
      what: 'memory of an open stream',
      most: { default: 12 },
      unit: 'kB',
      measured: byNode(nodes, ({ open }) => open.blazon.memory.median / 1024),
    },
  ]
}

export function section({ nodes }) {
  const parts = Object.values(nodes).map(
    ({ node, environment, rounds, rows, streams, slowReader, ...measured }) =>
      `### Node ${node}: streams

${nodeTables(measured)}

${rounds} rounds of ${rows.toLocaleString('en-US')} rows, and of ${streams.toLocaleString('en-US')} open streams. While a client read 100 MB slowly, the process grew by ${(slowReader / 2 ** 20).toFixed(1)} MiB. ${describeEnvironment(environment)}`,
  )
  return {
    title: 'Streams',
    goals: goalsOf(nodes),
    body: `Written by \`npm run bench:streams\`. All send the rows of the same async generator, and wait for \`drain\` where the client does not take more:
**each row** calls \`res.write\` for every row, as the documentation of Node shows it; **joined rows** writes them once they fill the buffer of the connection,
and lets a row wait for later ones, which Blazon does not. Instructions are counted over a stream of 100,000 rows.

${parts.join('\n\n')}`,
  }
}
