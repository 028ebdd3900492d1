// npm run bench:streams -- [--rows 1000000] [--streams 10000] [--rounds 5] [--nodes 20,24] [--node /path/to/node] [--count]: what streams
// cost beside `res.write` alone: processor time of a row, memory of an open stream, and memory while a client reads 100 MB slowly.
// `--count` counts the instructions of a row as well, over 100,000 rows under valgrind, which takes minutes.
import assert from 'node:assert/strict'
import { parseArgs } from 'node:util'
import { checkValgrind } from './count-run.mjs'
import { readEnvironment, readNode } from './environment.mjs'
import { fetchNodes } from './nodes.mjs'
import { readResults, saveResults } from './report.mjs'
import { FORMATS, keepStreams, LANES, nodeTables } from './sections/streams.mjs'
import { costOf, growthOf, instructionsOf, memoryOf, startLane } from './streams/client.mjs'
import { commandOf } from './summary.mjs'

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    streams: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '5' },
    node: { type: 'string', multiple: true, default: [] },
    nodes: { type: 'string', default: '' },
    count: { type: 'boolean', default: false },
  },
})
const [rows, streams, rounds] = [values.rows, values.streams, values.rounds].map(Number)
const lanes = Object.keys(LANES)

/** One round of each format by each lane in turn. All send the same rows; events have a last one that says so. */
async function measureRound(servers, into) {
  for (const format of Object.keys(FORMATS)) {
    const sizes = []
    for (const server of servers) {
      const { bytes, microseconds } = await costOf(server, { format, rows })
      into?.[format][server.lane].push(microseconds)
      sizes.push(bytes)
    }
    const [first] = sizes
    for (const size of sizes) assert.ok(Math.abs(size - first) < 100, `${format}: ${sizes}`)
  }
}

async function measureRows(servers) {
  const found = Object.fromEntries(
    Object.keys(FORMATS).map((format) => [
      format,
      Object.fromEntries(lanes.map((lane) => [lane, []])),
    ]),
  )
  // The first round compiles the code.
  for (let round = 0; round <= rounds; round++) {
    await measureRound(servers, round > 0 ? found : undefined)
    console.error(`Round ${round} of ${rounds}`)
  }
  return found
}

async function countRows(node) {
  if (!values.count) return undefined
  checkValgrind()
  const found = {}
  for (const format of Object.keys(FORMATS)) {
    found[format] = {}
    for (const lane of lanes) found[format][lane] = await instructionsOf({ lane, node, format })
  }
  return found
}

/** Servers that have streamed nothing before, so that what a million rows left behind is not counted. */
async function measureOpen(node) {
  const found = {}
  for (const lane of ['rows', 'blazon']) {
    found[lane] = []
    for (let round = 0; round < rounds; round++) {
      const server = await startLane(lane, node)
      found[lane].push(await memoryOf(server, streams))
      server.stop()
    }
  }
  return found
}

async function measureOn(node) {
  const { major, ...version } = readNode(node)
  const environment = readEnvironment()
  const servers = []
  for (const lane of lanes) servers.push(await startLane(lane, node))
  const costs = await measureRows(servers)
  const growth = await growthOf(servers[lanes.indexOf('blazon')])
  for (const { stop } of servers) stop()
  const counts = await countRows(node)
  const open = await measureOpen(node)
  const command = commandOf('bench:streams', { nodes: major, rounds, rows, streams })
  const kept = keepStreams({ costs, counts, open, growth })
  const measured = { ...version, command, environment, rounds, rows, streams, ...kept }
  console.log(`\nNode ${version.node}\n\n${nodeTables(measured)}\n`)
  const { nodes } = readResults('streams') ?? {}
  await saveResults('streams', { nodes: { ...nodes, [major]: measured } })
}

const nodes = [...values.node, ...fetchNodes(values.nodes.split(',').filter(Boolean))]
for (const node of nodes.length === 0 ? [process.execPath] : nodes) await measureOn(node)
