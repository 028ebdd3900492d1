// Load on one or several processes at once, and what they and Redis spend on it.
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'

const LOAD_CORE = '1'
const INSTRUCTIONS = ['instructions:u', 'instructions:k']
/** `perf` goes on a little longer than the load that it counts. */
const SLACK_S = 0.3

const run = promisify(execFile)

/**
 * Loads all ports with equal shares of the connections for some seconds. Throws when an answer was not a success.
 *
 * @returns `requests`, `perSecond`, and by the name of each of `watched`, which are process ids, its `seconds` of CPU time and
 * its `instructions`, where they can be counted.
 */
export async function loadAll(ports, { path, seconds, connections, watched }) {
  const before = Object.entries(watched).map(([name, pid]) => [name, cpuSeconds(pid)])
  const counting = countInstructions(watched, seconds + SLACK_S)
  const share = connections / ports.length
  const loads = await Promise.all(ports.map((port) => wrk(port, { path, seconds, share })))
  const instructions = await counting
  const spent = before.map(([name, cpu]) => [
    name,
    { seconds: cpuSeconds(watched[name]) - cpu, instructions: instructions?.[name] },
  ])
  const total = (key) => loads.reduce((sum, load) => sum + load[key], 0)
  return {
    requests: total('requests'),
    perSecond: total('perSecond'),
    spent: Object.fromEntries(spent),
  }
}

async function wrk(port, { path, seconds, share }) {
  const url = `http://127.0.0.1:${port}${path}`
  const amount = ['-t1', `-c${share}`, `-d${seconds}s`, '--timeout', '15s']
  const { stdout } = await run('taskset', ['-c', LOAD_CORE, 'wrk', ...amount, url])
  const [, requests, elapsed] = /(\d+) requests in ([\d.]+)s/.exec(stdout) ?? []
  if (requests === undefined || /Non-2xx|Socket errors/.test(stdout)) {
    throw new Error(`The load on ${path} failed:\n${stdout}`)
  }
  return { requests: Number(requests), perSecond: requests / elapsed }
}

let isCounting

function canCount() {
  isCounting ??= spawnSync('perf', perfArguments(process.pid, 0)).status === 0
  return isCounting
}

function perfArguments(pid, seconds) {
  const what = ['-x,', '-e', INSTRUCTIONS.join(','), '-p', String(pid)]
  return ['stat', ...what, '--', 'sleep', String(seconds)]
}

/** Instructions of user and kernel by name; nothing where the processor does not say. */
async function countInstructions(watched, seconds) {
  if (!canCount()) return undefined
  const counts = Object.entries(watched).map(async ([name, pid]) => {
    const { stderr } = await run('perf', perfArguments(pid, seconds))
    const lines = stderr.split('\n').filter((line) => line.includes('instructions'))
    return [name, lines.reduce((sum, line) => sum + Number.parseInt(line, 10), 0)]
  })
  return Object.fromEntries(await Promise.all(counts))
}

const TICKS = Number(execFileSync('getconf', ['CLK_TCK']))

/** User and system time of all threads of a process (proc(5), fields 14 and 15). */
function cpuSeconds(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The second field is a name in parentheses and may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS
}
