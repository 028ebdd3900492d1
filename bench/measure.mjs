// What a server spends on its requests: in one load, and in turn with others.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { loadServer } from './load.mjs'

export { checkTools, writeScript } from './load.mjs'

export const CONNECTIONS = 32

/** CPU time is counted in hundredths of a second: with less than this, a measurement would be a matter of luck. */
const LEAST_CPU_SECONDS = 0.25
const MOST_LOADS = 10

/**
 * Loads a server for some seconds, and again where others left it next to no time. Throws when an answer was not what was expected.
 *
 * @param load see `loadServer`; `connections` is 32 unless it says otherwise.
 * @returns microseconds of CPU time and thousands of instructions a request (user and kernel, where they can be counted), requests
 * a second, and the 99th percentile of milliseconds.
 */
export async function measure(server, load) {
  const before = cpuSeconds(server.pid)
  const answered = []
  const sum = (of) => answered.reduce((total, each) => total + of(each), 0)
  let cpu = 0
  let requests = 0
  do {
    if (answered.length === MOST_LOADS) throw new Error(`${server.name} is left no time to answer.`)
    answered.push(await loadServer(server, { connections: CONNECTIONS, ...load }))
    cpu = cpuSeconds(server.pid) - before
    requests = sum((each) => each.requests)
    // On a busy machine, slow requests may all be on their way when the load ends.
  } while (cpu < LEAST_CPU_SECONDS || requests === 0)
  const kiloOf = (kind) =>
    answered[0].instructions && sum(({ instructions }) => instructions[kind]) / requests / 1000
  return {
    microseconds: (cpu / requests) * 1e6,
    perSecond: requests / sum(({ elapsed }) => elapsed),
    p99: Math.max(...answered.map((each) => each.p99)),
    userKilo: kiloOf('user'),
    kernelKilo: kiloOf('kernel'),
  }
}

/** After so many requests the compiler has seen what there is to see; on a busy machine that takes longer than any number of seconds. */
const WARM_UP_REQUESTS = 15_000
const WARM_UP_LOADS = 10

/**
 * Loads a server until its code is compiled. Do that right after its first request: on Node 20, a server that answers a request or two and
 * then nothing until V8 collects the garbage of the idle (`--no-memory-reducer` prevents it) needs 1.6 times the instructions for every
 * later request, bare `node:http` included, and keeps doing so. What has been warmed up may wait.
 *
 * @param load what `loadServer` is told; `requests` and `loads` are after how many it is enough, 15,000 and 10 unless it says otherwise.
 */
export async function warmUp(server, load) {
  const { requests: wanted = WARM_UP_REQUESTS, loads: most = WARM_UP_LOADS, ...others } = load
  let answered = 0
  for (let loads = 0; answered < wanted && loads < most; loads++) {
    const shared = { connections: CONNECTIONS, ...others, ...server.load }
    const { requests } = await loadServer(server, { ...shared, seconds: 1 })
    answered += requests
  }
  server.isWarm = true
}

/**
 * Loads servers in turn, every other round backwards, after those that are not warm have warmed up; then stops them.
 *
 * @param load what `measure` is told; a server with a `load` of its own is told that besides. Each server is left with its `memory`.
 * @returns for each round, a measurement by the name of the server.
 */
export async function measureInTurn(servers, { rounds, ...load }) {
  for (const server of servers) if (!server.isWarm) await warmUp(server, load)
  const measured = []
  for (let round = 0; round < rounds; round++) {
    const results = {}
    for (const server of round % 2 === 0 ? servers : servers.toReversed()) {
      results[server.name] = await measure(server, { ...load, ...server.load })
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
