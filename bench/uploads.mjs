// npm run bench:uploads -- [--megabytes 100] [--rounds 7] [--nodes 20,24] [--node /path/to/node] [--count]: what a form with a large file
// costs beside `@fastify/busboy` alone, in processor time of the server. `--count` counts its instructions as well, under valgrind.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { checkValgrind, countRun } from './count-run.mjs'
import { readEnvironment, readNode } from './environment.mjs'
import { fetchNodes } from './nodes.mjs'
import { readResults, saveResults } from './report.mjs'
import { keepUploads, LANES, nodeTable } from './sections/uploads.mjs'
import { commandOf } from './summary.mjs'

const SERVER = join(import.meta.dirname, 'uploads/server.mjs')
/** So many forms are sent before anything is measured: they compile the code. */
const WARM_UP = 2
/** valgrind is slow: so many megabytes show what a hundred do. */
const COUNTED_MEGABYTES = 20

const { values } = parseArgs({
  options: {
    megabytes: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '7' },
    node: { type: 'string', multiple: true, default: [] },
    nodes: { type: 'string', default: '' },
    count: { type: 'boolean', default: false },
  },
})
const [megabytes, rounds] = [values.megabytes, values.rounds].map(Number)
const lanes = Object.keys(LANES)

const CHUNK = Buffer.alloc(1024 * 1024, 'some bytes of a file\r\n')
const HEAD =
  '--bench\r\nContent-Disposition: form-data; name="file"; filename="a"\r\nContent-Type: application/octet-stream\r\n\r\n'

async function send(port, size = megabytes) {
  const headers = { 'content-type': 'multipart/form-data; boundary=bench' }
  const options = { host: '127.0.0.1', port, method: 'POST', path: '/uploads', headers }
  const req = request({ ...options, agent: false })
  const answered = once(req, 'response')
  req.write(HEAD)
  for (let i = 0; i < size; i++) if (!req.write(CHUNK)) await once(req, 'drain')
  req.end('\r\n--bench--\r\n')
  const [res] = await answered
  const { data } = await json(res)
  const expected = size * CHUNK.length
  if (data?.size !== expected) throw new Error(`The server got ${data?.size} of ${expected} bytes`)
}

async function warmUp(port) {
  for (let i = 0; i < WARM_UP; i++) await send(port)
}

async function start(lane, node) {
  const child = fork(SERVER, [lane], { execPath: node })
  const [{ port }] = await once(child, 'message')
  const processorTime = async () => {
    child.send('usage')
    const [{ user, system }] = await once(child, 'message')
    return (user + system) / 1000
  }
  /** Milliseconds of the server's processor for one form. */
  const cost = async () => {
    const before = await processorTime()
    await send(port)
    return (await processorTime()) - before
  }
  return { lane, port, cost, stop: () => child.kill() }
}

async function measureForms(node) {
  const found = Object.fromEntries(lanes.map((lane) => [lane, []]))
  const servers = await Promise.all(lanes.map((lane) => start(lane, node)))
  for (const { port } of servers) await warmUp(port)
  for (let round = 0; round < rounds; round++) {
    for (const { lane, cost } of servers) found[lane].push(await cost())
  }
  for (const { stop } of servers) stop()
  return found
}

/** Instructions of a megabyte, by lane. */
async function countForms(node) {
  if (!values.count) return undefined
  checkValgrind()
  const found = {}
  const sendCounted = (port) => send(port, COUNTED_MEGABYTES)
  for (const lane of lanes) {
    const server = { node, args: [SERVER, lane] }
    const counted = await countRun(server, { warmUp: sendCounted, run: sendCounted })
    found[lane] = counted / COUNTED_MEGABYTES
  }
  return found
}

async function measureOn(node) {
  const { major, ...version } = readNode(node)
  const environment = readEnvironment()
  const milliseconds = await measureForms(node)
  const kept = keepUploads({ milliseconds, counts: await countForms(node), megabytes })
  const command = commandOf('bench:uploads', { nodes: major, rounds, megabytes })
  const measured = { ...version, command, environment, rounds, megabytes, lanes: kept }
  console.log(`\nNode ${version.node}\n\n${nodeTable(measured)}\n`)
  const { nodes } = readResults('uploads') ?? {}
  await saveResults('uploads', { nodes: { ...nodes, [major]: measured } })
}

const nodes = [...values.node, ...fetchNodes(values.nodes.split(',').filter(Boolean))]
for (const node of nodes.length === 0 ? [process.execPath] : nodes) await measureOn(node)
