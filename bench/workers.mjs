// Requests per second of `blazon start` with two workers, of one, for a handler that works for about two milliseconds. wrk runs
// on the same processors, so its CPU time is shown, too. Beside it: two processes that know nothing of each other, each with a
// load of its own. That is the most that this machine can give. All are measured in turns.
// Options: --seconds 5 (of each run), --rounds 7.

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { availableParallelism } from 'node:os'
import { parseArgs, promisify } from 'node:util'

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '5' }, rounds: { type: 'string', default: '7' } },
})
const SECONDS = Number(values.seconds)
const TURNS = Number(values.rounds)
/** In all: the same for one process and for two. */
const CONNECTIONS = 16
const WORK_MS = 2
const COMMAND = new URL('../dist/cli/main.js', import.meta.url).pathname
const APP = new URL('./workers/app.mjs', import.meta.url).pathname
const run = promisify(execFile)

/** How many rounds of the handler's loop take {@link WORK_MS} here. */
function calibrate() {
  const loop = (rounds) => {
    let state = 1
    for (let round = 0; round < rounds; round++)
      state = (Math.imul(state, 1103515245) + 12345) >>> 0
    return state
  }
  loop(1e6)
  const begin = performance.now()
  loop(2e7)
  return Math.round((2e7 * WORK_MS) / (performance.now() - begin))
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function start(workers, rounds) {
  const port = await freePort()
  const child = spawn(process.execPath, [COMMAND, 'start', APP, '--workers', String(workers)], {
    env: { ...process.env, NODE_ENV: 'production', PORT: String(port), ROUNDS: String(rounds) },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let text = ''
  for await (const chunk of child.stderr.iterator({ destroyOnReturn: false })) {
    text += chunk
    if (/isten(?:s|ing)? on/.test(text)) break
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
  const wrk = ['-t1', `-c${connections}`, `-d${SECONDS}s`, url]
  const format = 'cpu %U %S'
  const { stdout, stderr } = await run('/usr/bin/time', ['-f', format, 'wrk', ...wrk])
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(stdout)
  const [, user, system] = /cpu (\S+) (\S+)/.exec(stderr)
  return {
    perSecond: Number(/Requests\/sec:\s+(\S+)/.exec(stdout)[1]),
    loadCpu: (Number(user) + Number(system)) / SECONDS,
  }
}

/** @param servers The numbers of workers of commands that run at the same time, with a share of the connections each. */
async function measure(servers, rounds) {
  const started = await Promise.all(servers.map((workers) => start(workers, rounds)))
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

const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]

const CASES = { 'one worker': [1], 'two workers': [2], 'two processes apart': [1, 1] }
const rounds = calibrate()
const runs = Object.fromEntries(Object.keys(CASES).map((name) => [name, []]))
for (let turn = 0; turn < TURNS; turn++) {
  // Each begins as often as the others.
  const names = Object.keys(CASES)
  const order = [...names.slice(turn % names.length), ...names.slice(0, turn % names.length)]
  for (const name of order) runs[name].push(await measure(CASES[name], rounds))
}
const ratios = (name) =>
  runs[name].map(({ perSecond }, turn) => perSecond / runs['one worker'][turn].perSecond)
console.log(`Node ${process.version}, ${availableParallelism()} processors, ${TURNS} rounds`)
console.table(
  Object.entries(runs).map(([name, list]) => ({
    name,
    'requests/s': Math.round(median(list.map(({ perSecond }) => perSecond))),
    'of one worker': Number(median(ratios(name)).toFixed(2)),
    lowest: Number(Math.min(...ratios(name)).toFixed(2)),
    highest: Number(Math.max(...ratios(name)).toFixed(2)),
    'processors of the load': Number(median(list.map(({ loadCpu }) => loadCpu)).toFixed(2)),
  })),
)
