// Load from one core, and the CPU time that a server on the other spends on it.
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const LOAD_CORE = '1'
export const CONNECTIONS = 32

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

/** Writes down a request for wrk, which can only be told of bodies in Lua. */
export function writeScript({ method, headers, body }) {
  const folder = mkdtempSync(join(tmpdir(), 'blazon-bench-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const lines = [`wrk.method = "${method}"`]
  for (const [name, value] of Object.entries(headers)) {
    lines.push(`wrk.headers["${name}"] = "${value}"`)
  }
  if (body !== undefined) lines.push(`wrk.body = [==[${body}]==]`)
  const script = join(folder, 'request.lua')
  writeFileSync(script, lines.join('\n'))
  return script
}

/** Loads a server for some seconds. Throws when an answer was not a success. */
export async function measure({ name, pid, port }, { path, script, seconds }) {
  const url = `http://127.0.0.1:${port}${path}`
  const load = ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '-s', script, url]
  const before = cpuSeconds(pid)
  const { stdout } = await run('taskset', ['-c', LOAD_CORE, 'wrk', ...load], {
    timeout: (seconds + 20) * 1000,
  })
  const cpu = cpuSeconds(pid) - before
  const [, requests, elapsed] = /(\d+) requests in ([\d.]+)s/.exec(stdout) ?? []
  if (requests === undefined || /Non-2xx|Socket errors/.test(stdout)) {
    throw new Error(`${name} failed under load:\n${stdout}`)
  }
  return { microseconds: (cpu / requests) * 1e6, perSecond: requests / elapsed }
}

const WARM_UP_SECONDS = 3

/**
 * Loads servers in turn, every other round backwards, after each has warmed up; then stops them.
 *
 * @returns for each round, a measurement by the name of the server.
 */
export async function measureInTurn(servers, { path, script, seconds, rounds }) {
  for (const server of servers) await measure(server, { path, script, seconds: WARM_UP_SECONDS })
  const measured = []
  for (let round = 0; round < rounds; round++) {
    const results = {}
    for (const server of round % 2 === 0 ? servers : servers.toReversed()) {
      results[server.name] = await measure(server, { path, script, seconds })
    }
    measured.push(results)
    console.error(`round ${round + 1} of ${rounds}`)
  }
  for (const server of servers) server.stop()
  return measured
}

const TICKS = Number(execFileSync('getconf', ['CLK_TCK']))

/** User and system time of all threads of a process (proc(5), fields 14 and 15). */
function cpuSeconds(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The second field is a name in parentheses and may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS
}
