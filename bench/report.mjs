// Numbers into tables.
import { existsSync, readFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { CANDIDATES } from './candidates.mjs'
import { CONNECTIONS } from './measure.mjs'

const root = join(import.meta.dirname, '..')

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** A Markdown table of one workload: `rounds` holds, for each round, a measurement by candidate. */
export function table(rounds, goals) {
  const names = Object.keys(rounds[0])
  const rows = names.map((name) => {
    const of = (key) => median(rounds.map((round) => round[name][key]))
    const cells = [CANDIDATES[name], of('microseconds').toFixed(1), Math.round(of('perSecond'))]
    return [...cells, ...ratioCells(rounds, name, goals[name])]
  })
  const head = ['', 'µs CPU/request', 'requests/s', 'Blazon is', 'rounds from … to', 'goal', '']
  return markdownTable(head, rows)
}

/** Rows of cells as Markdown: the first column left, the others right. */
export function markdownTable(head, rows) {
  const align = ['---', ...head.slice(1).map(() => '---:')]
  return [head, align, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** Ratios are taken within a round, where all candidates met the same weather. */
function ratioCells(rounds, name, goal) {
  if (name === 'blazon' || rounds[0].blazon === undefined) return ['', '', '', '']
  const ratios = rounds.map((round) => round.blazon.microseconds / round[name].microseconds)
  const ratio = median(ratios)
  const range = `${Math.min(...ratios).toFixed(2)} … ${Math.max(...ratios).toFixed(2)}`
  const verdict = goal === undefined ? '' : ratio <= goal ? 'reached' : 'missed'
  return [`${ratio.toFixed(2)}×`, range, goal === undefined ? '' : `≤ ${goal}×`, verdict]
}

/** What else ran when the benchmark began. */
const [loadBefore] = loadavg()

/** The page that is committed. */
export function page(sections, { rounds, seconds }) {
  const packages = ['fastify', '@fastify/helmet', 'express', 'helmet', 'zod', 'find-my-way']
  const versions = packages.map((name) => `${name} ${versionOf(name)}`).join(', ')
  return `# Benchmark

Written by \`npm run bench\`. Node ${process.versions.node} (V8 ${process.versions.v8}), ${cpus()[0].model},
${cpus().length} cores. ${versions}.
${rounds} rounds of ${seconds} s a candidate, ${CONNECTIONS} keep-alive connections. Load average of the machine when the run
began: ${loadBefore.toFixed(1)}; above 0.5, others shared the two cores, and every figure is higher and less certain than it should be.

${sections.map(({ title, body }) => `## ${title}\n\n${body}`).join('\n\n')}

## How to read it

**µs CPU/request** is the CPU time of the server's process, all its threads, user and system, divided by the
requests that the load generator saw answered. It is what a request costs; unlike a rate it does not depend on how fast
the load generator is. The server runs on one core, \`wrk\` on the other. **requests/s** is for orientation.

**Blazon is** the median, over the rounds, of Blazon's cost divided by the other's cost *in the same round*: 1.10× means
that Blazon needs 10 % more. All candidates are measured in turn in every round, in rotating order, so whatever else the
machine does hits all of them; compare ratios within a table, and never microseconds of two runs.

**bare node:http** is the floor: it parses the body, and sends the same status, headers and bytes with one \`writeHead\` of a
flat array. It has no routes and checks nothing, not even that the token is there.

The others do the same work: route, and in (b) an asynchronous guard that looks a bearer token up, validation of every field
of a nested body (zod for Express and Blazon, JSON Schema for Fastify, which also gets a response schema), helmet's headers
and the 201. Before anything is timed, every candidate must send the very same body bytes and the same headers (\`Date\`
apart), and all but the floor must answer 401 without a token or with a wrong one, and 400 to invalid and to malformed JSON.

\`npm run bench -- --rounds 15 --seconds 3\` measures longer; \`--only post\` or \`--only node,blazon\` measures a part, and
leaves this page alone.
`
}

function versionOf(name) {
  const folders = ['bench/peers/node_modules', 'node_modules']
  const manifests = folders.map((folder) => join(root, folder, name, 'package.json'))
  return JSON.parse(readFileSync(manifests.find(existsSync), 'utf8')).version
}
