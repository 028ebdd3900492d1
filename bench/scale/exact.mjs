// Whether limits are exact for all processes together, and whether what one of them keeps or forgets is so for the others.
import { ask, handlerCalls } from './ask.mjs'

/** As in shop.ts. */
const BURST = { path: '/burst', limit: 1000 }
const SHORT = { path: '/short', limit: 200, windowMs: 1000 }

const REFUSED = 429
const AT_ONCE = 64

/** Throws unless something is as it was promised. */
function must(isSo, what) {
  if (!isSo) throw new Error(`Not exact: ${what}`)
}

/** What was left for a request that was let in: `"burst";r=12;t=60`. */
function leftFor({ headers }) {
  return Number(/;r=(\d+)/.exec(headers.ratelimit)[1])
}

/** Sends requests to all ports in turn for as long as `goesOn` says. */
async function flood(ports, path, { client, goesOn }) {
  const answers = []
  const workers = Array.from({ length: AT_ONCE }, async (_, worker) => {
    for (let i = worker; goesOn(answers.length); i++) {
      answers.push(await ask(ports[i % ports.length], path, { headers: { 'x-client': client } }))
    }
  })
  await Promise.all(workers)
  return answers
}

/** Counts for each number how often it was left for somebody. */
function countLeft(answers) {
  const counts = new Map()
  for (const answer of answers) {
    const left = leftFor(answer)
    counts.set(left, (counts.get(left) ?? 0) + 1)
  }
  return counts
}

/** More than the limit within one window: exactly the limit is let in, and each of its places is given once. */
async function checkBurst(ports, client) {
  const { path, limit } = BURST
  const answers = await flood(ports, path, { client, goesOn: (sent) => sent < 2 * limit })
  const allowed = answers.filter(({ status }) => status === 200)
  const refused = answers.filter(({ status }) => status === REFUSED)
  must(allowed.length === limit, `${allowed.length} of ${limit} were let in`)
  must(allowed.length + refused.length === answers.length, 'somebody got another answer')
  must(countLeft(allowed).size === limit, 'a place was given twice')
  return { requests: answers.length, allowed: allowed.length }
}

/**
 * Window after window without a pause. Who is let in first in a window is told that all places but his are left: so many windows
 * there were, and none of the other places may be given more often. In the last window, not every place need be asked for.
 */
async function checkWindows(ports, client, windows) {
  const { path, limit, windowMs } = SHORT
  const end = performance.now() + windows * windowMs
  const answers = await flood(ports, path, { client, goesOn: () => performance.now() < end })
  const allowed = answers.filter(({ status }) => status === 200)
  const counts = countLeft(allowed)
  const begun = counts.get(limit - 1)
  for (let left = 0; left < limit; left++) {
    const given = counts.get(left) ?? 0
    must(given <= begun, `a place was given ${given} times in ${begun} windows`)
  }
  return { requests: answers.length, windows: begun, allowed: allowed.length }
}

/**
 * What one process has made, the other has; what one forgets, the other does not give any more. And what many want at once is made
 * once by each process at most.
 */
export async function checkSharing(ports) {
  await checkKept(ports)
  return { requests: AT_ONCE, made: await countMakers(ports) }
}

async function checkKept([first, second]) {
  const path = `/tagged/shared-${process.pid}`
  const state = async (port) => (await ask(port, path)).headers['x-cache']
  must((await state(first)) === 'MISS', 'an answer was there before it was made')
  // It is written behind the answer.
  while ((await state(first)) !== 'HIT') await new Promise((resolve) => setTimeout(resolve, 1))
  must((await state(second)) === 'HIT', 'the other process does not have what was made')
  for (const [port, other] of [
    [first, second],
    [second, first],
  ]) {
    must((await ask(port, '/tagged', { method: 'POST' })).status === 204, 'it was not forgotten')
    must((await state(other)) === 'MISS', 'what was forgotten is still given')
    while ((await state(port)) !== 'HIT') await new Promise((resolve) => setTimeout(resolve, 1))
  }
}

async function countMakers(ports) {
  const path = `/cached/rush-${process.pid}`
  const calls = () => Promise.all(ports.map(handlerCalls))
  const before = await calls()
  await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => ask(ports[i % ports.length], path)))
  const after = await calls()
  const made = after.map((count, i) => count - before[i])
  must(
    made.every((count) => count <= 1),
    'a process made an answer twice',
  )
  return made.reduce((sum, count) => sum + count)
}

/** Checks the limits of processes that listen on these ports, as clients whom nobody has counted before. */
export async function checkLimits(ports, { bursts, windows, client }) {
  const results = []
  for (let i = 0; i < bursts; i++) results.push(await checkBurst(ports, `${client}-${i}`))
  return {
    limit: BURST.limit,
    bursts: results,
    short: { limit: SHORT.limit, ...(await checkWindows(ports, client, windows)) },
  }
}
