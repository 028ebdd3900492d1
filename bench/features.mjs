// npm run bench:features -- [options]: what a feature adds to a request.
//
//   --nodes 20,24,26   Nodes to measure on, fetched by npm; --node /path/to/node, any number of times, for one that is there.
//                      This very Node when neither is given.
//   --rounds 15        rounds; --seconds 2 of load of each variant in a round
//   --count            instructions instead of times, by valgrind: on machines that are busy
//   --only limit,logs  variants by name, with `--count`; the plain route is always counted, because the others add to it
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { checkCallgrind, countInstructions } from './callgrind.mjs'
import { startServer } from './candidates.mjs'
import { compile } from './compile.mjs'
import { readEnvironment, readNode } from './environment.mjs'
import { checkTools, measureInTurn, writeScript } from './measure.mjs'
import { fetchNodes } from './nodes.mjs'
import { readResults, saveResults } from './report.mjs'
import { keepFeatures, nodeTable, VARIANTS } from './sections/features.mjs'
import { commandOf } from './summary.mjs'

const PATH = '/users/7'
const request = { method: 'GET', path: PATH, headers: { 'x-tenant-id': 'acme' } }

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    seconds: { type: 'string', default: '2' },
    node: { type: 'string', multiple: true, default: [] },
    nodes: { type: 'string', default: '' },
    count: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
  },
})
const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)]
const list = (text) => text.split(',').filter(Boolean)

async function measureAll(node, file) {
  const script = writeScript(request)
  const servers = []
  for (const name of Object.keys(VARIANTS)) {
    // The lines of the log go nowhere.
    const isQuiet = name === 'logs'
    servers.push(await startServer({ name, node, file, workload: name, isQuiet }))
  }
  await checkResponses(servers, request)
  const measured = await measureInTurn(servers, { path: PATH, script, seconds, rounds })
  const columns = servers.map(({ name }) => [name, measured.map((each) => each[name].microseconds)])
  return keepFeatures(Object.fromEntries(columns))
}

/** What is compared has to be the same: all send the same body, and the cache sends it from memory. */
async function checkResponses(servers, { headers }) {
  const bodies = new Set()
  for (const { name, port } of servers) {
    const url = `http://127.0.0.1:${port}${PATH}`
    await (await fetch(url, { headers })).text()
    const answer = await fetch(url, { headers })
    bodies.add(`${answer.status} ${await answer.text()}`)
    const isHit = answer.headers.get('x-cache') === 'HIT'
    const isLimited = answer.headers.has('ratelimit')
    const hasId = answer.headers.has('x-request-id')
    const isRight =
      isHit === (name === 'cache') &&
      isLimited === (name === 'limit') &&
      hasId === ['ids', 'logs'].includes(name)
    if (!isRight) throw new Error(`${name} does not do what is measured.`)
  }
  if (bodies.size !== 1) throw new Error(`The answers differ: ${[...bodies].join(' | ')}`)
}

function save(major, change) {
  const { nodes = {} } = readResults('features') ?? {}
  return saveResults('features', { nodes: { ...nodes, [major]: change(nodes[major] ?? {}) } })
}

async function measure(path, file) {
  const { major, ...version } = readNode(path)
  const environment = readEnvironment()
  const command = commandOf('bench:features', { nodes: major, rounds, seconds })
  const lanes = await measureAll(path, file)
  console.log(`\nNode ${version.node}\n\n${nodeTable({ lanes })}\n`)
  const measured = { command, environment, rounds, seconds, lanes }
  await save(major, (before) => ({ ...before, ...version, ...measured }))
}

async function count(node, file) {
  const { major, ...version } = readNode(node)
  const only = list(values.only)
  const isCounted = (name) => name === 'plain' || only.length === 0 || only.includes(name)
  for (const name of Object.keys(VARIANTS).filter(isCounted)) {
    const kilo = (await countInstructions({ node, file, args: [name] }, request)) / 1000
    console.log(`Node ${version.node}, ${name}: ${kilo.toFixed(1)} k instructions`)
    await save(major, (before) => ({
      ...before,
      ...version,
      counted: { ...before.counted, [name]: Number(kilo.toFixed(1)) },
    }))
  }
}

const task = values.count ? count : measure
;(values.count ? checkCallgrind : checkTools)()
const file = await compile(join(import.meta.dirname, 'features/variants.ts'))
const nodes = [...values.node, ...fetchNodes(list(values.nodes))]
for (const path of nodes.length === 0 ? [process.execPath] : nodes) await task(path, file)
process.exit()
