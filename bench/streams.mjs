// npm run bench:streams -- [--streams 10000] [--items 200000] [--rounds 5]: what a stream costs beside `res.write` alone:
// processor time of an item, memory of an open stream, and memory while a client reads 100 MB slowly.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    streams: { type: 'string', default: '10000' },
    items: { type: 'string', default: '200000' },
    rounds: { type: 'string', default: '5' },
  },
})
const [streams, items, rounds] = [values.streams, values.items, values.rounds].map(Number)

const server = fork(join(import.meta.dirname, 'streams/server.mjs'), { execArgv: ['--expose-gc'] })
const [{ port, barePort }] = await once(server, 'message')

async function usage() {
  server.send('usage')
  const [found] = await once(server, 'message')
  return found
}

/** Opens a response whose body nobody reads yet. */
function open(at, path, agent) {
  return new Promise((resolve, reject) => {
    get({ port: at, host: '127.0.0.1', path, agent }, resolve).on('error', reject)
  })
}

async function read(at, path) {
  const res = await open(at, path, false)
  res.resume()
  await once(res, 'end')
}

const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]

/** Microseconds of the server's processor for an item. */
async function costOf(at, path) {
  const before = (await usage()).cpu
  await read(at, path)
  const after = (await usage()).cpu
  return (after.user + after.system - before.user - before.system) / items
}

async function measureItems() {
  const found = { blazon: [], bare: [] }
  const path = `/items?count=${items}`
  for (let round = 0; round <= rounds; round++) {
    const cost = { blazon: await costOf(port, path), bare: await costOf(barePort, path) }
    // The first round compiles the code.
    if (round > 0) for (const name of ['blazon', 'bare']) found[name].push(cost[name])
  }
  const [ours, theirs] = [median(found.blazon), median(found.bare)]
  console.log(
    `An item: ${ours.toFixed(2)} µs, ${(ours - theirs).toFixed(2)} µs over res.write (${theirs.toFixed(2)} µs)`,
  )
}

async function measureOpen(name, at) {
  const agent = new Agent({ maxSockets: Infinity })
  await Promise.all(Array.from({ length: 200 }, () => open(at, '/open', agent)))
  const before = await usage()
  const opened = []
  for (let i = 0; i < streams; i += 500) {
    opened.push(...(await Promise.all(Array.from({ length: 500 }, () => open(at, '/open', agent)))))
  }
  const after = await usage()
  const kilobytes = (field) => ((after[field] - before[field]) / streams / 1024).toFixed(1)
  console.log(
    `An open stream (${name}): ${kilobytes('heapUsed')} kB of heap, ${kilobytes('rss')} kB of memory`,
  )
  agent.destroy()
  for (const res of opened) res.destroy()
  await sleep(2000)
}

async function measureSlowReader() {
  const before = await usage()
  const res = await open(port, '/large', false)
  let [most, bytes] = [0, 0]
  for await (const chunk of res) {
    bytes += chunk.length
    if (Math.floor(bytes / 5e6) === Math.floor((bytes - chunk.length) / 5e6)) continue
    await sleep(30)
    most = Math.max(most, (await usage()).rss - before.rss)
  }
  console.log(
    `A slow reader of ${(bytes / 1e6).toFixed(0)} MB: ${(most / 2 ** 20).toFixed(1)} MiB of growth`,
  )
}

await measureItems()
await measureSlowReader()
await measureOpen('blazon', port)
await measureOpen('bare node:http', barePort)
server.kill()
