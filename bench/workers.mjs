// npm run bench:workers -- [--seconds 5] [--rounds 7] [--nodes 20,24] [--node /path/to/node]: requests per second of `blazon start`
// with two workers, of one, for a handler that works for about two milliseconds.
//
// wrk runs on the same processors, so its CPU time is shown, too. Beside it: two processes that know nothing of each other, each with
// a load of its own. That is the most that this machine can give. All are measured in turns. It needs wrk and GNU time.
import { execFile, spawn } from 'node:child_process'
import { pbkdf2Sync } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { parseArgs, promisify } from 'node:util'
import { readEnvironment, readNode } from './environment.mjs'
import { fetchNodes } from './nodes.mjs'
import { readResults, saveResults } from './report.mjs'
import { keepWorkers, LANES, nodeTable } from './sections/workers.mjs'
import { commandOf } from './summary.mjs'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '7' },
    node: { type: 'string', multiple: true, default: [] },
    nodes: { type: 'string', default: '' },
  },
})
const [seconds, rounds] = [values.seconds, values.rounds].map(Number)
/** In all: the same for one process and for two. */
const CONNECTIONS = 16
const WORK_MS = 2
const COMMAND = new URL('../dist/cli/main.js', import.meta.url).pathname
const APP = new URL('./workers/app.mjs', import.meta.url).pathname
const run = promisify(execFile)

/** How many rounds of the handler's key derivation take {@link WORK_MS} here. */
function calibrate() {
  const rounds = 1e5
  const begin = performance.now()
  pbkdf2Sync('lamp', 'salt', rounds, 32, 'sha256')
  return Math.round((rounds * WORK_MS) / (performance.now() - begin))
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function start(node, workers) {
  const port = await freePort()
  const child = spawn(node, [COMMAND, 'start', APP, '--workers', String(workers)], {
    env: { ...process.env, NODE_ENV: 'production', PORT: String(port), ROUNDS: String(KEY_ROUNDS) },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let text = ''
  for await (const chunk of child.stderr.iterator({ destroyOnReturn: false })) {
    text += chunk
    if (text.includes(workers === 1 ? 'Listening on' : 'workers listen')) break
  }
  child.stderr.resume()
  const stop = async () => {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  return { port, stop }
}

/** Requests per second, and the CPU seconds that wrk took for each second. */
async function load(port, connections) {
  const url = `http://127.0.0.1:${port}/work`
  const wrk = ['-t1', `-c${connections}`, `-d${seconds}s`, url]
  const format = 'cpu %U %S'
  const { stdout, stderr } = await run('/usr/bin/time', ['-f', format, 'wrk', ...wrk])
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(stdout)
  const [, user, system] = /cpu (\S+) (\S+)/.exec(stderr)
  return {
    perSecond: Number(/Requests\/sec:\s+(\S+)/.exec(stdout)[1]),
    loadCpu: (Number(user) + Number(system)) / seconds,
  }
}

/** @param servers The numbers of workers of commands that run at the same time, with a share of the connections each. */
async function measure(node, servers) {
  const started = await Promise.all(servers.map((workers) => start(node, workers)))
  try {
    await Promise.all(
      started.map(({ port }) =>
        run('wrk', ['-t1', '-c4', '-d1s', `http://127.0.0.1:${port}/work`]),
      ),
    )
    const results = await Promise.all(
      started.map(({ port }) => load(port, CONNECTIONS / servers.length)),
    )
    const sum = (name) => results.reduce((total, each) => total + each[name], 0)
    return { perSecond: sum('perSecond'), loadCpu: sum('loadCpu') }
  } finally {
    await Promise.all(started.map(({ stop }) => stop()))
  }
}

async function measureOn(node) {
  const names = Object.keys(LANES)
  const lanes = Object.fromEntries(names.map((name) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    // Each begins as often as the others.
    const first = round % names.length
    const order = [...names.slice(first), ...names.slice(0, first)]
    for (const name of order) lanes[name].push(await measure(node, LANES[name].servers))
  }
  return keepWorkers(lanes)
}

const KEY_ROUNDS = calibrate()
const nodes = [...values.node, ...fetchNodes(values.nodes.split(',').filter(Boolean))]
for (const path of nodes.length === 0 ? [process.execPath] : nodes) {
  const { major, ...version } = readNode(path)
  const environment = readEnvironment()
  const command = commandOf('bench:workers', { nodes: major, rounds, seconds })
  const measured = { environment, rounds, seconds, lanes: await measureOn(path) }
  console.log(`\nNode ${version.node}\n\n${nodeTable(measured)}\n`)
  const { nodes: before = {} } = readResults('workers') ?? {}
  await saveResults('workers', {
    nodes: { ...before, [major]: { ...version, command, ...measured } },
  })
}
