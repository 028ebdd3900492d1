// One process and two, in turn, each with a part of a core.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startServer } from '../candidates.mjs'
import { compile } from '../compile.mjs'
import { handlerCalls } from './ask.mjs'
import { loadAll } from './load.mjs'

const WARM_UP_REQUESTS = 15_000
const MOST_ATTEMPTS = 5
const MOST_MADE = 0.005
/** Below this share of periods, something else than its bound held a process back. */
const USED_UP = 0.85

/** What is asked for, and whether a handler makes the answer. */
export const PATHS = {
  '/both/7': { isMade: false },
  '/tagged/7': { isMade: false },
  '/cached/7': { isMade: false },
  '/limited/7': { isMade: true },
  '/plain/7': { isMade: true },
}

/** By `node:cluster`, only this is measured. */
export const MAIN_PATH = '/both/7'

/** Starts a process that serves, or two that share a port. */
export async function startShop(name, { url, node, isCluster = false }) {
  process.env.BENCH_REDIS_URL = url
  const shop = await compile(join(import.meta.dirname, 'shop.ts'))
  const file = isCluster ? join(import.meta.dirname, 'cluster.mjs') : shop
  const server = await startServer({ name, node, file, workload: isCluster ? shop : 'shop' })
  return { ...server, pids: isCluster ? childrenOf(server.pid) : [server.pid] }
}

function childrenOf(pid) {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)
}

/** Which processes take the load: each of two alone in turn, both, and both behind one port. */
function variantsOf(path, { first, second, cluster }, round) {
  const variants = { one: [round % 2 === 0 ? first : second], two: [first, second] }
  if (path === MAIN_PATH) variants.cluster = [cluster]
  return Object.entries(variants)
}

/** Measures all paths in every round; in every other one, everything is turned round. */
export async function measureScale(servers, { rounds, bound, ...load }) {
  for (const path of Object.keys(PATHS)) {
    for (const server of Object.values(servers)) await warmUp(server, path, load)
  }
  const { groups, remove } = boundAll(servers, { ...bound, redis: load.redis })
  try {
    return await measureRounds(servers, { ...load, rounds, groups })
  } finally {
    remove()
  }
}

async function measureRounds(servers, { rounds, ...load }) {
  const measured = []
  for (let round = 0; round < rounds; round++) {
    const results = {}
    for (const path of inTurn(Object.keys(PATHS), round)) {
      results[path] = {}
      for (const [name, used] of inTurn(variantsOf(path, servers, round), round)) {
        results[path][name] = await measureOnRedis(used, { ...load, path })
      }
    }
    measured.push(results)
    console.error(`round ${round + 1} of ${rounds}`)
  }
  return measured
}

const inTurn = (list, round) => (round % 2 === 0 ? list : list.toReversed())

async function warmUp(server, path, { connections, redis }) {
  const load = { path, connections, seconds: 1, watched: { redis: redis.pid } }
  for (let requests = 0; requests < WARM_UP_REQUESTS; ) {
    requests += (await loadAll([server.port], load)).requests
  }
}

/** A group for each process, by its id; none where there are no groups. The load and Redis get one without bounds. */
function boundAll(servers, { group, share, redis }) {
  if (group === undefined) return { groups: new Map(), remove() {} }
  const pids = Object.values(servers).flatMap((server) => server.pids)
  const bounded = pids.map((pid) => [pid, group(`blazon-bench-${pid}`, share)])
  for (const [pid, made] of bounded) made.add(pid)
  const rest = group(`blazon-bench-${process.pid}`)
  for (const pid of [process.pid, redis.pid]) rest.add(pid)
  const all = [rest, ...bounded.map(([, made]) => made)]
  const remove = () => {
    for (const made of all.splice(0)) made.remove()
  }
  process.on('exit', remove)
  return { groups: new Map(bounded), remove }
}

/**
 * A cache that answers late is gone around, and where others have the cores, it is not their bounds that hold processes back. Where
 * one or the other was so for more than a moment, it is measured once more; the second of them is put up with in the end.
 */
async function measureOnRedis(used, load) {
  let result
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
    const next = await measureOne(used, load)
    if (!PATHS[load.path].isMade && next.made > MOST_MADE) continue
    result = next
    if (next.usedUp === undefined || next.usedUp >= USED_UP) return next
  }
  if (result !== undefined) return result
  throw new Error(`Handlers ran for ${load.path}, which is cached: Redis was late too often.`)
}

async function measureOne(used, { path, groups, redis, ...load }) {
  const pids = used.flatMap((server) => server.pids)
  const ports = used.map(({ port }) => port)
  const watched = { redis: redis.pid, ...Object.fromEntries(pids.map((pid) => [pid, pid])) }
  // Behind one port, nobody knows who is asked.
  const known = used.filter((server) => server.pids.length === 1).map(({ port }) => port)
  const madeBefore = await Promise.all(known.map(handlerCalls))
  const before = readGroups(pids, groups)
  const { requests, perSecond, spent } = await loadAll(ports, { ...load, path, watched })
  const after = readGroups(pids, groups)
  const madeAfter = await Promise.all(known.map(handlerCalls))
  const { redis: ofRedis, ...ofServers } = spent
  const each = (cost) => ({
    microseconds: rounded((cost.seconds / requests) * 1e6, 2),
    kilo: cost.instructions && rounded(cost.instructions / requests / 1000, 1),
  })
  const made = madeAfter.reduce((sum, calls, i) => sum + calls - madeBefore[i], 0)
  return {
    perSecond: Math.round(perSecond),
    /** Handlers that ran, for a request. */
    made: rounded(made / requests, 4),
    redis: each(ofRedis),
    servers: Object.values(ofServers).map(each),
    usedUp: before && rounded(usedUpBetween(before, after), 2),
  }
}

const rounded = (value, digits) => Number(value.toFixed(digits))

function readGroups(pids, groups) {
  if (groups.size === 0) return undefined
  return pids.map((pid) => groups.get(pid).read())
}

/** The share of periods in which the part of the core was used up, over all processes. */
function usedUpBetween(before, after) {
  const total = (states, key) => states.reduce((sum, state) => sum + state[key], 0)
  const between = (key) => total(after, key) - total(before, key)
  return between('usedUp') / between('periods')
}
