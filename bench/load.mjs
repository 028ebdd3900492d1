// wrk on its core, and perf beside it where there is one.
import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const LOAD_CORE = '1'
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

let isCounting

/** Whether this machine counts instructions of user and kernel; most containers and virtual machines do not. */
function canCountInstructions() {
  if (isCounting === undefined) {
    const { status, stderr } = spawnSync('perf', countArguments(['true']), { encoding: 'utf8' })
    isCounting = status === 0 && instructionsIn(stderr) !== undefined
  }
  return isCounting
}

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

/** A slow candidate on a busy machine keeps some of many connections waiting for seconds; that is not a failure. */
const TIMEOUT = '15s'

/**
 * Loads a server for some seconds. Throws when an answer was not what was expected.
 *
 * @param load `path`, `script`, `seconds`, `connections`, and `isRefused` where no answer may be a success.
 * @returns what was answered: `requests` in `elapsed` seconds, the 99th percentile in milliseconds, and the server's `instructions`
 * where they can be counted.
 */
export async function loadServer(server, load) {
  const { path, script, seconds, connections } = load
  const url = `http://127.0.0.1:${server.port}${path}`
  const amount = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', TIMEOUT]
  const wrk = ['taskset', '-c', LOAD_CORE, 'wrk', ...amount, '--latency', '-s', script, url]
  const counted = ['perf', ...countArguments(['-p', String(server.pid), '--', ...wrk])]
  const [command, ...args] = canCountInstructions() ? counted : wrk
  const { stdout, stderr } = await run(command, args, { timeout: (seconds + 20) * 1000 })
  return {
    ...checkedAnswers(server.name, stdout, load),
    p99: percentileIn(stdout),
    instructions: canCountInstructions() ? instructionsIn(stderr) : undefined,
  }
}

function checkedAnswers(name, stdout, { isRefused = false }) {
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
