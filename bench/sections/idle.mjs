// The memory of idle connections: bench/idle.mjs.
import { CANDIDATES } from '../candidates.mjs'
import { describeEnvironment } from '../environment.mjs'
import { summarizeLanes } from '../summary.mjs'
import { markdownTable } from '../tables.mjs'

/** The candidates, each with the one that it is compared with. */
export const LANES = { node: {}, fastify: {}, blazon: { of: ['node', 'fastify'] } }

const PAIRS = Object.entries(LANES).flatMap(([name, { of = [] }]) =>
  of.map((other) => [name, other]),
)

/** What is kept of the rounds: lists of `{ memory, heap }`, in bytes a connection. */
export function keepIdle(lanes) {
  const columns = Object.entries(lanes).map(([name, list]) => [
    name,
    { memory: list.map(({ memory }) => memory), heap: list.map(({ heap }) => heap) },
  ])
  const spread = { spread: ['memory', 'heap'], middle: [], pairs: PAIRS }
  return summarizeLanes(Object.fromEntries(columns), spread)
}

/** A row for each candidate on one Node. */
export function nodeTable({ lanes }) {
  const rows = Object.entries(lanes).map(([name, { memory, heap }]) => [
    CANDIDATES[name].title,
    ...[memory, heap].map(({ median }) => Math.round(median)),
    `${Math.round(memory.least)} to ${Math.round(memory.greatest)}`,
  ])
  const head = ['', 'bytes of memory', 'bytes of heap', 'memory, least to greatest']
  return markdownTable(head, rows)
}

function goalsOf(nodes) {
  const ratios = Object.entries(nodes).map(([major, { lanes }]) => [
    major,
    lanes.blazon.of.fastify.memory.median,
  ])
  return [
    {
      id: 'idle/fastify',
      what: 'memory of an idle keep-alive connection, of Fastify',
      most: { default: 1 },
      unit: '×',
      measured: Object.fromEntries(ratios),
    },
  ]
}

export function section({ versions, nodes }) {
  const tables = Object.values(nodes).map(
    ({ node, environment, rounds, connections, ...measured }) =>
      `### Node ${node}: an idle connection\n\n${nodeTable(measured)}\n\n${rounds} rounds of ${connections.toLocaleString('en-US')} connections. ${describeEnvironment(environment)}`,
  )
  return {
    title: 'Idle connections',
    goals: goalsOf(nodes),
    body: `Written by \`npm run bench:idle\`, with Fastify ${versions.fastify}. Each connection has sent one request and has its response. **Memory** is resident
memory of the process after garbage was collected, **heap** that of V8 alone; both without what the process had before the connections.

${tables.join('\n\n')}`,
  }
}
