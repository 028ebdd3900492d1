// npm run bench:startup -- [--nodes 20,24,26] [--node /path/to/node] [--rounds 15]: from the start of a process to its first answer.
// `--count` counts instructions instead of measuring times, by valgrind: on machines that are busy. `--smoke` only checks that all start
// and answer alike. `--loaded` only writes down what is loaded before the first answer.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { checkCallgrind } from './callgrind.mjs'
import { compile, compileDecorated } from './compile.mjs'
import { readEnvironment, readNode, readVersions } from './environment.mjs'
import { memoryOf } from './measure.mjs'
import { fetchNodes } from './nodes.mjs'
import { readResults, saveResults } from './report.mjs'
import { keepLoaded, textOfLoaded } from './sections/startup/loaded.mjs'
import { addCounts, CANDIDATES, keepCandidates, nodeTable, PACKAGES } from './sections/startup.mjs'
import { readLoaded } from './startup/loaded.mjs'
import { users } from './startup/shop.mjs'
import { commandOf } from './summary.mjs'
import { median } from './tables.mjs'

const here = import.meta.dirname
const READ = { method: 'GET', path: '/users/42' }
const USER = users.read('42')

const folder = mkdtempSync(join(tmpdir(), 'blazon-startup-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
/** valgrind writes here what it has counted. */
const COUNTS = join(folder, 'counts')
const COUNTER = [
  'valgrind',
  '--tool=callgrind',
  '--callgrind-out-file=/dev/null',
  `--log-file=${COUNTS}`,
]

/** Starts a candidate; answers with the process, and with its port as soon as it listens. */
async function start(name, node, { before = [], env = {} } = {}) {
  const command = [...before, node, join(here, CANDIDATES[name].file)]
  const child = spawn(command[0], command.slice(1), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production', ...env },
  })
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(`${name} has ended`)))
  const [{ port }] = await Promise.race([once(child, 'message'), ended])
  return { child, port }
}

/** Candidates end with their parent's channel. */
async function stop({ child }) {
  const exit = once(child, 'exit')
  child.disconnect()
  await exit
}

/** What a start takes until the first answer is there whole: milliseconds of time and of CPU time, and megabytes. */
async function time(name, node) {
  const before = performance.now()
  const server = await start(name, node)
  await ask(server.port, READ)
  const wall = performance.now() - before
  const { pid } = server.child
  const taken = { wall, cpu: cpuMilliseconds(pid), resident: memoryOf(pid).resident }
  await stop(server)
  return taken
}

/** Millions of instructions of all threads of a process that is asked once; those of the kernel are not counted. */
async function count(name, node) {
  const server = await start(name, node, { before: COUNTER })
  await ask(server.port, READ)
  await stop(server)
  const [, total] = /Collected : (\d+)/.exec(readFileSync(COUNTS, 'utf8'))
  return Number(total) / 1e6
}

/** Of all threads, in nanoseconds where the kernel counts; the clock of /proc/PID/stat ticks only every ten milliseconds. */
function cpuMilliseconds(pid) {
  const threads = readdirSync(`/proc/${pid}/task`)
  const times = threads.map((thread) => {
    const text = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8')
    return Number(text.split(' ')[0])
  })
  return times.reduce((sum, each) => sum + each, 0) / 1e6
}

/** A request by hand: an HTTP client of ours would take longer than some of the servers. */
function ask(port, { method, path, body }) {
  const text = body === undefined ? '' : JSON.stringify(body)
  const head = [`${method} ${path} HTTP/1.1`, 'Host: localhost', 'Connection: close']
  if (text !== '') head.push('Content-Type: application/json', `Content-Length: ${text.length}`)
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let answer = ''
    socket.setEncoding('utf8').on('data', (chunk) => {
      answer += chunk
    })
    socket.on('end', () => resolve(readResponse(answer))).on('error', reject)
    socket.write(`${head.join('\r\n')}\r\n\r\n${text}`)
  })
}

function readResponse(answer) {
  const status = Number(answer.split(' ', 2)[1])
  const end = answer.indexOf('\r\n\r\n')
  const isChunked = /^transfer-encoding: chunked/im.test(answer.slice(0, end))
  const body = answer.slice(end + 4)
  return { status, body: isChunked ? body.replace(/(^|\r\n)[\da-f]+\r\n/g, '') : body }
}

/** A candidate that answers wrongly is not worth timing. */
async function check(name, node) {
  const { isFloor, hasDocument } = CANDIDATES[name]
  const server = await start(name, node)
  const read = await ask(server.port, READ)
  assert.deepEqual([read.status, read.body], [200, JSON.stringify(USER)], `${name} reads`)
  const post = (body) => ask(server.port, { method: 'POST', path: '/users', body })
  if (!isFloor) {
    const { id: _, ...given } = USER
    assert.equal((await post(given)).status, 201, `${name} creates`)
    assert.equal((await post({ ...given, email: 'nobody' })).status, 400, `${name} validates`)
  }
  if (hasDocument) {
    const { body } = await ask(server.port, { method: 'GET', path: '/api-docs.json' })
    const operations = Object.values(JSON.parse(body).paths).flatMap(Object.keys)
    assert.equal(operations.length, 10, `${name} documents`)
  }
  await stop(server)
}

/** Every candidate in turn, so that whatever else the machine does hits all of them. */
async function inTurn(rounds, measure) {
  const names = Object.keys(CANDIDATES)
  const columns = Object.fromEntries(names.map((name) => [name, {}]))
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      for (const [key, value] of Object.entries(await measure(name))) {
        columns[name][key] ??= []
        columns[name][key].push(Number(value.toFixed(1)))
      }
    }
    console.error(`round ${round + 1} of ${rounds}`)
  }
  return columns
}

async function measureOn(node, rounds) {
  const environment = readEnvironment()
  await checkAll(node)
  const times = await inTurn(rounds, (name) => time(name, node))
  return { environment, rounds, candidates: keepCandidates(times) }
}

async function checkAll(node) {
  for (const name of Object.keys(CANDIDATES)) await check(name, node)
}

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    node: { type: 'string', multiple: true, default: [] },
    nodes: { type: 'string', default: '' },
    count: { type: 'boolean', default: false },
    smoke: { type: 'boolean', default: false },
    loaded: { type: 'boolean', default: false },
  },
})

async function measureAll(nodes, rounds) {
  for (const path of nodes) {
    const { major, ...version } = readNode(path)
    const measured = await measureOn(path, rounds)
    console.log(`\nNode ${version.node}\n\n${nodeTable(measured)}\n`)
    const command = commandOf('bench:startup', { nodes: major, rounds })
    await saveNode(major, { ...version, command, ...measured })
  }
}

/** A start takes a second to a minute under valgrind. Counts of Blazon differ by 3 %, those of Express by 14 %. */
const COUNTS_EACH = 3

/** Counts starts beside the times that are there, and keeps the medians. */
async function countAll(nodes) {
  checkCallgrind()
  for (const path of nodes) {
    const { major } = readNode(path)
    const { [major]: timed } = readResults('startup')?.nodes ?? {}
    if (timed === undefined) throw new Error(`Measure Node ${major} first: npm run bench:startup`)
    await checkAll(path)
    const columns = await inTurn(COUNTS_EACH, async (name) => ({ counts: await count(name, path) }))
    const counts = Object.fromEntries(
      Object.entries(columns).map(([name, { counts }]) => [name, median(counts)]),
    )
    const measured = { ...timed, candidates: addCounts(timed.candidates, counts) }
    console.log(`\nNode ${timed.node}\n\n${nodeTable(measured)}\n`)
    await saveNode(major, measured)
  }
}

async function saveNode(major, measured) {
  const { nodes, ...kept } = readResults('startup') ?? {}
  const results = { ...nodes, [major]: measured }
  await saveResults('startup', { ...kept, versions: readVersions(PACKAGES), nodes: results })
}

/** What is loaded depends neither on the machine nor on rounds, so it is measured apart, on the Node that runs this. */
async function listLoaded() {
  const node = process.execPath
  const listOf = (name) =>
    readLoaded(async (env) => {
      const server = await start(name, node, { env })
      await ask(server.port, READ)
      await stop(server)
    })
  const blazon = keepLoaded(await listOf('blazon'))
  const { packages } = await listOf('fastify-zod')
  const loaded = {
    node: readNode(node).node,
    command: 'npm run bench:startup -- --loaded',
    blazon,
    [CANDIDATES['fastify-zod'].title]: { packages },
  }
  const results = readResults('startup') ?? { versions: readVersions(PACKAGES), nodes: {} }
  await saveResults('startup', { ...results, loaded })
  console.log(textOfLoaded(loaded))
}

await compile(join(here, 'startup/start-blazon.ts'))
compileDecorated('start-nest')
if (values.smoke) {
  await checkAll(process.execPath)
  console.log(`${Object.keys(CANDIDATES).length} applications start and answer alike.`)
} else if (values.loaded) {
  await listLoaded()
} else {
  const fetched = values.nodes === '' ? [] : fetchNodes(values.nodes.split(','))
  const chosen = [...values.node, ...fetched]
  const nodes = chosen.length === 0 ? [process.execPath] : chosen
  await (values.count ? countAll(nodes) : measureAll(nodes, Number(values.rounds)))
}
