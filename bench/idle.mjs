// npm run bench:idle -- [--connections 10000] [--rounds 5] [--nodes 20,24] [--node /path/to/node]: the memory of an idle keep-alive
// connection that has had one response, of bare node:http, Fastify and Blazon.
//
// Each round starts each server anew. Its memory is read after garbage was collected: before the connections, when its code is warm,
// and when all of them are idle. A server needs as many file descriptors as connections: `ulimit -n`.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { CANDIDATES } from './candidates.mjs'
import { compileCandidates } from './compile.mjs'
import { readEnvironment, readNode, readVersions } from './environment.mjs'
import { fetchNodes } from './nodes.mjs'
import { readResults, saveResults } from './report.mjs'
import { keepIdle, LANES, nodeTable } from './sections/idle.mjs'
import { commandOf } from './summary.mjs'

const here = import.meta.dirname
const PATH = '/users/42'
/** Connections that are opened and closed before anything is counted, so that code is compiled and pools are filled. */
const WARM_UP = 1000

const { values } = parseArgs({
  options: {
    connections: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '5' },
    node: { type: 'string', multiple: true, default: [] },
    nodes: { type: 'string', default: '' },
  },
})
const [connections, rounds] = [values.connections, values.rounds].map(Number)

/** Asks a child something, and resolves with what it says. Fails if it ends instead. */
async function ask(child, message) {
  const answer = once(child, 'message')
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${child.spawnargs.join(' ')} ended with ${code}`)
  })
  ended.catch(() => {})
  if (message !== undefined) child.send(message)
  const [found] = await Promise.race([answer, ended])
  if (found.error !== undefined) throw new Error(found.error)
  return found
}

async function end(child) {
  const ended = once(child, 'exit')
  child.kill()
  await ended
}

/** The bytes of an idle connection: of the process, and of the heap of V8 alone. */
async function measure(candidate, node) {
  const { file } = CANDIDATES[candidate]
  const memory = join(here, 'idle/memory.mjs')
  const env = { ...process.env, NODE_ENV: 'production' }
  const options = { execPath: node, execArgv: ['--import', memory], env }
  const server = fork(join(here, file), ['plain', 'plain'], options)
  const client = fork(join(here, 'idle/client.mjs'))
  try {
    const { port } = await ask(server)
    await ask(client, { port, path: PATH, count: WARM_UP })
    await ask(client, { port, path: PATH, count: 0 })
    const before = await ask(server, 'memory')
    await ask(client, { port, path: PATH, count: connections })
    const after = await ask(server, 'memory')
    const each = (field) => (after[field] - before[field]) / connections
    return { memory: each('rss'), heap: each('heapUsed') }
  } finally {
    await Promise.all([end(server), end(client)])
  }
}

async function measureOn(node) {
  const { major, ...version } = readNode(node)
  const environment = readEnvironment()
  const lanes = Object.fromEntries(Object.keys(LANES).map((name) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const name of Object.keys(LANES)) lanes[name].push(await measure(name, node))
    console.error(`Node ${version.node}: round ${round + 1} of ${rounds}`)
  }
  const command = commandOf('bench:idle', { nodes: major, rounds, connections })
  const kept = { command, environment, rounds, connections, lanes: keepIdle(lanes) }
  const measured = { ...version, ...kept }
  console.log(`\nNode ${version.node}\n\n${nodeTable(measured)}\n`)
  const { nodes } = readResults('idle') ?? {}
  await saveResults('idle', {
    versions: readVersions(['fastify']),
    nodes: { ...nodes, [major]: measured },
  })
}

await compileCandidates()
const nodes = [...values.node, ...fetchNodes(values.nodes.split(',').filter(Boolean))]
for (const node of nodes.length === 0 ? [process.execPath] : nodes) await measureOn(node)
