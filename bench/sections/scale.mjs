// One process and two on one Redis: bench/scale.mjs.
import { describeEnvironment } from '../environment.mjs'
import { markdownTable } from '../tables.mjs'

const TITLES = {
  '/both/7': '`@Cache` and `rateLimit`',
  '/tagged/7': 'the same, under a tag',
  '/cached/7': '`@Cache`, a hit',
  '/limited/7': '`rateLimit`',
  '/plain/7': 'neither',
}
const MAIN = '/both/7'
const GOAL = 1.8
/** Below this share of periods, something else than its bound held a process back: others had the cores. */
const USED_UP = 0.85

/** The section of the page; see report.mjs. */
export function section({ nodes }) {
  const all = Object.values(nodes)
  const parts = [
    HOW_TO_READ,
    ...all.map(partOf),
    `### Limits are exact\n\n${all.map(exactText).join('\n\n')}`,
    `### What a request asks Redis\n\n${tripsText(all[0])}`,
  ]
  return { title: 'Two processes on one Redis', body: parts.join('\n\n'), goals: [goalOf(nodes)] }
}

function goalOf(nodes) {
  const entries = Object.entries(nodes)
  return {
    id: 'scale/redis',
    what: 'two processes sharing one Redis for cache and limits, of the throughput of one',
    least: { default: GOAL },
    unit: '×',
    measured: Object.fromEntries(entries.map(([major, node]) => [major, scaleOf(node)])),
    note: Object.fromEntries(
      entries.map(([major, { measured }]) => [major, measured[MAIN].two.byCost.median.toFixed(2)]),
    ),
  }
}

/** By throughput where nothing but their bounds held the processes back, else by what a request costs. */
function scaleOf({ measured, bound }) {
  const { ofOne, byCost } = measured[MAIN].two
  return isHeldByBound(measured, bound) ? ofOne.median : byCost.median
}

/** Whether processes could be bounded, and used up what they were given in nearly all periods. */
function isHeldByBound(measured, { reason }) {
  const isUsedUp = (name) => measured[MAIN][name].usedUp >= USED_UP
  return reason === undefined && ['one', 'two'].every(isUsedUp)
}

const HOW_TO_READ = `**µs CPU** is of each process, and **of Redis** of \`redis-server\`, over all requests. **by instructions** is twice what a request takes of one process and
Redis, by what it takes of two and Redis: 2 where sharing costs nothing. **part used up** is the share of periods of 10 ms in which a process had used
up its part of a core: near 100 %, nothing else held it back.`

function partOf({ node, environment, rounds, seconds, connections, ...rest }) {
  const { bound, redis, versions, measured } = rest
  return `**Node ${node}**, Redis ${redis}, node-redis ${versions.redis}. ${rounds} rounds of ${seconds} s.
${describeEnvironment(environment)}

${howItWasDone(bound, connections)} ${howItIsReckoned(measured, bound)}

${table(measured)}

${redisText(measured)}`
}

function howItWasDone({ share, by, reason }, connections) {
  const load = `${connections} connections in all, half of them to each process where there are two; \`wrk\` and Redis have what they need of the rest.`
  if (reason === undefined) {
    return `Both processes are on this machine, so each is given ${share} of a core (${by}): what they share is Redis, and nothing else. ${load}`
  }
  return `Both processes are on this machine, and could not be bounded: ${reason}. So requests a second say how many cores there are. ${load}`
}

function howItIsReckoned(measured, bound) {
  if (isHeldByBound(measured, bound)) return 'The goal is measured by requests a second.'
  const why =
    bound.reason === undefined ? 'Others had the cores, so that bounds did not decide: the' : 'The'
  return `${why} goal is measured by what a request costs, as below.`
}

function table(measured) {
  const rows = Object.keys(TITLES).flatMap((path) =>
    Object.entries(measured[path]).map(([variant, kept]) => row(path, variant, kept)),
  )
  const head = ['', 'requests/s', 'of one', 'by instructions', 'µs CPU', 'of Redis', 'part used up']
  return markdownTable(head, rows)
}

const VARIANTS = { one: 'one process', two: 'two processes', cluster: 'two by `node:cluster`' }

function row(path, variant, { perSecond, ofOne, byCost, servers, redis, usedUp }) {
  return [
    `${TITLES[path]}, ${VARIANTS[variant]}`,
    Math.round(perSecond.median),
    variant === 'one' ? '' : `${ofOne.median.toFixed(2)}×`,
    variant === 'two' ? `${byCost.median.toFixed(2)}×` : '',
    // A request is answered by one of them, so each adds its part of the average.
    servers.map((server) => server.toFixed(1)).join(' + '),
    redis.toFixed(1),
    usedUp === undefined ? '' : `${Math.round(usedUp * 100)} %`,
  ]
}

function redisText(measured) {
  const { one, two } = measured[MAIN]
  const cost = two.redis
  const ofOne = one.allServers
  return `Redis works on one core: with \`@Cache\` and \`rateLimit\` it is full at ${thousands(1e6 / cost)} requests a second, or ${Math.floor(ofOne / cost)} processes that have a whole core each.`
}

function thousands(value) {
  return `${Math.round(value / 1000)},000`
}

function exactText({ node, exact: { bursts, short, rush } }) {
  const { times, limit, requests, allowed } = bursts
  return `Node ${node}:

- Within a window: ${times} times, about ${Math.round(requests / times)} requests at once to two processes, limit ${limit}: **${allowed} of ${times * limit} were let in**, and no
  place was given twice (\`RateLimit: …;r=\` of each answer). The same behind one port, by \`node:cluster\`.
- Window after window of a second: ${short.requests} requests, ${short.windows} windows of ${short.limit}: ${short.allowed} were let in, no place more often than there were windows.
- What one process keeps, the other gives; what one invalidates by tag, the other gives no more. Of ${rush.requests} who want the same at once from both, ${rush.made} ran the handler; each
  process runs it once at most.`
}

function tripsText({ trips }) {
  const rows = Object.entries(trips).map(([path, { flights, commands }]) => [
    TITLES[path],
    flights,
    commands
      .toSorted()
      .map((name) => `\`${name}\``)
      .join(', '),
  ])
  return `${markdownTable(['', 'flights', 'commands'], rows)}

One request at a time; the second of two flights waits for the answer to the first. Under load, what is asked at the same time goes out in one write.`
}
