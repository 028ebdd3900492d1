// npm run bench:scale [-- options]: one process against two on one Redis, and whether limits are exact for both together.
//
//   --rounds 9         rounds; --seconds 2 of load in each, of each path by one process and by two
//   --core 0.25        the part of a core that a process gets, so that the machine has room for all of it
//   --nodes 20,24,26   Nodes, fetched by npm; --node /path/to/node, any number of times, for one that is there. This very Node
//                      when neither is given.
//   --check            only whether everything is exact and shared, in seconds
import { parseArgs } from 'node:util'
import { readEnvironment, readNode, readVersions } from './environment.mjs'
import { checkTools } from './measure.mjs'
import { fetchNodes } from './nodes.mjs'
import { readResults, saveResults } from './report.mjs'
import { findBound } from './scale/bound.mjs'
import { checkLimits, checkSharing } from './scale/exact.mjs'
import { startRedis } from './scale/own-redis.mjs'
import { keepRounds } from './scale/summary.mjs'
import { measureScale, PATHS, startShop } from './scale/throughput.mjs'
import { countFlights, countTrips } from './scale/trips.mjs'
import { section } from './sections/scale.mjs'
import { commandOf } from './summary.mjs'

/** Of all processes together. */
const CONNECTIONS = 64

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    seconds: { type: 'string', default: '2' },
    core: { type: 'string', default: '0.25' },
    node: { type: 'string', multiple: true, default: [] },
    nodes: { type: 'string', default: '' },
    check: { type: 'boolean', default: false },
  },
})

async function trips(redis, node) {
  const { counter, url, stop } = await countFlights(redis)
  const shop = await startShop('trips', { url, node })
  const paths = Object.keys(PATHS)
  const counted = await countTrips(shop.port, { paths, redis, counter })
  shop.stop()
  stop()
  return counted
}

async function exactness({ first, second, cluster }, bursts) {
  const ports = [first.port, second.port]
  const rush = await checkSharing(ports)
  const exact = await checkLimits(ports, { bursts, windows: 5, client: 'two' })
  await checkLimits([cluster.port], { bursts, windows: 2, client: 'cluster' })
  console.error(`Exact: ${bursts} bursts and ${exact.short.windows} windows, and by node:cluster.`)
  return { ...exact, rush }
}

async function measureOn(path, redis) {
  const node = readNode(path)
  const environment = readEnvironment()
  const { url } = redis
  const servers = {
    first: await startShop('first', { url, node: path }),
    second: await startShop('second', { url, node: path }),
    cluster: await startShop('cluster', { url, node: path, isCluster: true }),
  }
  const exact = await exactness(servers, values.check ? 3 : 20)
  if (values.check) return
  const [rounds, seconds, share] = [values.rounds, values.seconds, values.core].map(Number)
  const bound = { ...findBound(), share }
  const load = { rounds, seconds, connections: CONNECTIONS, redis, bound }
  const measured = await measureScale(servers, load)
  for (const { stop } of Object.values(servers)) stop()
  const { by, reason } = bound
  const command = commandOf('bench:scale', { nodes: node.major, rounds, seconds, core: share })
  const result = { ...node, command, environment, rounds, seconds, connections: CONNECTIONS }
  return {
    ...result,
    bound: { share, by, reason },
    redis: redis.version,
    versions: readVersions(['redis']),
    exact,
    trips: await trips(redis, path),
    measured: keepRounds(measured),
  }
}

async function main() {
  checkTools()
  const nodes = [...values.node, ...fetchNodes(values.nodes.split(',').filter(Boolean))]
  for (const path of nodes.length === 0 ? [process.execPath] : nodes) {
    // Of its own for each, so that nothing is there already.
    const redis = await startRedis()
    const result = await measureOn(path, redis)
    await redis.stop()
    if (result === undefined) continue
    const { nodes: before = {} } = readResults('scale') ?? {}
    const results = { nodes: { ...before, [result.major]: result } }
    console.log(section(results).body)
    await saveResults('scale', results)
  }
}

main().then(
  () => process.exit(),
  (error) => {
    console.error(error)
    process.exit(1)
  },
)
