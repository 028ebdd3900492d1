// Load from one core, and what a server on the other spends on it.
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const LOAD_CORE = '1'
export const CONNECTIONS = 32
const INSTRUCTIONS = ['instructions:u', 'instructions:k']

const run = promisify(execFile)

/** Throws, with the remedy, when this machine cannot measure. */
export function checkTools() {
  if (process.platform !== 'linux') throw new Error('The benchmark reads /proc, so it needs Linux.')
  if (!has('taskset')) throw new Error('taskset is missing: apt-get install util-linux')
  if (!has('wrk')) throw new Error('wrk is missing: apt-get install wrk')
  if (spawnSync('taskset', ['-c', LOAD_CORE, 'true']).status !== 0) {
    throw new Error('The benchmark needs two cores: one for the server, one for the load.')
  }
}

function has(tool) {
  return spawnSync(tool, ['--version']).error === undefined
}

/** Whether this machine counts instructions of user and kernel; most containers and virtual machines do not. */
export function canCountInstructions() {
  const { status, stderr } = spawnSync('perf', countArguments(['true']), { encoding: 'utf8' })
  return status === 0 && instructionsIn(stderr) !== undefined
}

function countArguments(command) {
  return ['stat', '-x,', '-e', INSTRUCTIONS.join(','), ...command]
}

/** Reads `123456,,instructions:u,…` lines; nothing when the processor does not say. */
function instructionsIn(stderr) {
  const [user, kernel] = INSTRUCTIONS.map((event) => {
    const line = stderr.split('\n').find((each) => each.includes(event))
    return Number.parseInt(line, 10)
  })
  return Number.isNaN(user + kernel) ? undefined : { user, kernel }
}

const isCounting = process.platform === 'linux' && canCountInstructions()

let scripts
let scriptCount = 0

function scriptFolder() {
  if (scripts === undefined) {
    scripts = mkdtempSync(join(tmpdir(), 'blazon-bench-'))
    process.on('exit', () => rmSync(scripts, { recursive: true, force: true }))
  }
  return scripts
}

/** Writes down a request for wrk, which can only be told of bodies in Lua. */
export function writeScript({ method, headers, body }) {
  const lines = [`wrk.method = "${method}"`]
  for (const [name, value] of Object.entries(headers)) {
    lines.push(`wrk.headers["${name}"] = "${value}"`)
  }
  if (body !== undefined) lines.push(`wrk.body = [==[${body}]==]`)
  const script = join(scriptFolder(), `request-${scriptCount++}.lua`)
  writeFileSync(script, lines.join('\n'))
  return script
}

/**
 * Loads a server for some seconds. Throws when an answer was not what was expected.
 *
 * @param load `path`, `script`, `seconds`; `connections`, and `isRefused` where no answer may be a success.
 * @returns microseconds of CPU time and thousands of instructions a request (user and kernel, where they can be counted), requests
 * a second, and the 99th percentile of milliseconds.
 */
export async function measure(server, load) {
  const { path, script, seconds, connections = CONNECTIONS } = load
  const url = `http://127.0.0.1:${server.port}${path}`
  const wrk = [
    'wrk',
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    '--latency',
    '--timeout',
    '15s',
    '-s',
    script,
    url,
  ]
  const pinned = ['taskset', '-c', LOAD_CORE, ...wrk]
  const command = isCounting
    ? ['perf', ...countArguments(['-p', String(server.pid), '--', ...pinned])]
    : pinned
  const before = cpuSeconds(server.pid)
  const { stdout, stderr } = await run(command[0], command.slice(1), {
    timeout: (seconds + 20) * 1000,
  })
  const cpu = cpuSeconds(server.pid) - before
  const { requests, elapsed } = checkLoad(server.name, stdout, load)
  const instructions = isCounting ? instructionsIn(stderr) : undefined
  return {
    microseconds: (cpu / requests) * 1e6,
    perSecond: requests / elapsed,
    p99: percentileIn(stdout),
    userKilo: instructions && instructions.user / requests / 1000,
    kernelKilo: instructions && instructions.kernel / requests / 1000,
  }
}

/** Reads what wrk answered; throws when it did not go as expected. */
function checkLoad(name, stdout, { isRefused = false }) {
  const [, requests, elapsed] = /(\d+) requests in ([\d.]+)s/.exec(stdout) ?? []
  const [, refused = '0'] = /Non-2xx or 3xx responses: (\d+)/.exec(stdout) ?? []
  const wrong = isRefused ? Number(requests) - Number(refused) : Number(refused)
  if (requests === undefined || wrong > 0 || /Socket errors/.test(stdout)) {
    throw new Error(`${name} failed under load:\n${stdout}`)
  }
  return { requests: Number(requests), elapsed: Number(elapsed) }
}

const MILLISECONDS = { us: 0.001, ms: 1, s: 1000 }

function percentileIn(stdout) {
  const [, value, unit] = /99%\s+([\d.]+)(us|ms|s)/.exec(stdout)
  return Number(value) * MILLISECONDS[unit]
}

/** After so many requests the compiler has seen what there is to see; on a busy machine that takes longer than any number of seconds. */
const WARM_UP_REQUESTS = 15_000
const WARM_UP_LOADS = 20

async function warmUp(server, load) {
  let requests = 0
  for (let loads = 0; requests < WARM_UP_REQUESTS && loads < WARM_UP_LOADS; loads++) {
    requests += (await measure(server, { ...load, seconds: 1 })).perSecond
  }
}

/**
 * Loads servers in turn, every other round backwards, after each has warmed up; then stops them.
 *
 * @param load what `measure` is told; a server with a `load` of its own is told that besides.
 * @returns for each round, a measurement by the name of the server.
 */
export async function measureInTurn(servers, { rounds, ...load }) {
  const loadOf = (server) => ({ ...load, ...server.load })
  for (const server of servers) await warmUp(server, loadOf(server))
  const measured = []
  for (let round = 0; round < rounds; round++) {
    const results = {}
    for (const server of round % 2 === 0 ? servers : servers.toReversed()) {
      results[server.name] = await measure(server, loadOf(server))
    }
    measured.push(results)
    console.error(`round ${round + 1} of ${rounds}`)
  }
  for (const server of servers) {
    server.memory = memoryOf(server.pid)
    server.stop()
  }
  return measured
}

const TICKS = process.platform === 'linux' ? Number(execFileSync('getconf', ['CLK_TCK'])) : 100

/** User and system time of all threads of a process (proc(5), fields 14 and 15). */
function cpuSeconds(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The second field is a name in parentheses and may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS
}

/** Megabytes that a process has resident, now and at most. */
export function memoryOf(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const megabytes = (field) =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)[1]) / 1024
  return { resident: megabytes('VmRSS'), peak: megabytes('VmHWM') }
}
