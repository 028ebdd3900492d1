// What bench/streams.mjs asks of its servers.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { countRun } from '../count-run.mjs'

const SERVER = join(import.meta.dirname, 'server.mjs')
const BATCH = 500
const WARM_UP = 200
/** Closing so many connections takes the server a while. */
const CLOSING_MS = 2000

/** Starts the server of a lane. */
export async function startLane(lane, node) {
  const child = fork(SERVER, [lane], { execPath: node, execArgv: ['--expose-gc'] })
  const [{ port }] = await once(child, 'message')
  const ask = async (what) => {
    child.send(what)
    return (await once(child, 'message'))[0]
  }
  return { lane, port, ask, stop: () => child.kill() }
}

/** Opens a response whose body nobody reads yet. */
function open({ port, path, agent = false }) {
  return new Promise((resolve, reject) => {
    get({ port, host: '127.0.0.1', path, agent }, resolve).on('error', reject)
  })
}

/** Reads a body as fast as it comes, and resolves with the number of its bytes. */
export async function read(port, path) {
  const res = await open({ port, path })
  if (res.statusCode !== 200) throw new Error(`${path} responded with ${res.statusCode}`)
  let bytes = 0
  res.on('data', (chunk) => {
    bytes += chunk.length
  })
  await once(res, 'end')
  return bytes
}

const total = ({ cpu: { user, system } }) => user + system

/** Microseconds of the server's processor for a row, and the bytes of the whole stream. */
export async function costOf({ port, ask }, { format, rows }) {
  const before = await ask('usage')
  const bytes = await read(port, `/${format}?count=${rows}`)
  return { bytes, microseconds: (total(await ask('usage')) - total(before)) / rows }
}

/** valgrind is slow: so many rows show what a million do. */
const COUNTED_ROWS = 100_000
const WARM_UP_ROWS = 20_000

/** Instructions of a row of a whole stream, its head and its end included. */
export async function instructionsOf({ lane, node, format }) {
  const readRows = (port, rows) => read(port, `/${format}?count=${rows}`)
  const warmUp = async (port) => {
    for (let i = 0; i < 2; i++) await readRows(port, WARM_UP_ROWS)
  }
  const run = (port) => readRows(port, COUNTED_ROWS)
  const server = { node, args: ['--expose-gc', SERVER, lane] }
  return (await countRun(server, { warmUp, run })) / COUNTED_ROWS
}

/** Bytes that an open stream takes, of the process and of the heap of V8. */
export async function memoryOf({ port, ask }, streams) {
  const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY })
  const opened = []
  const openMany = async (count) => {
    const many = Array.from({ length: count }, () => open({ port, path: '/open', agent }))
    opened.push(...(await Promise.all(many)))
  }
  await openMany(WARM_UP)
  const before = await ask('memory')
  for (let left = streams; left > 0; left -= BATCH) await openMany(Math.min(left, BATCH))
  const after = await ask('memory')
  agent.destroy()
  for (const res of opened) res.destroy()
  await sleep(CLOSING_MS)
  const each = (field) => (after[field] - before[field]) / streams
  return { memory: each('rss'), heap: each('heapUsed') }
}

/** The most bytes by which the server grows while a client reads 100 MB slowly. */
export async function growthOf({ port, ask }) {
  const before = await ask('memory')
  const res = await open({ port, path: '/large' })
  let [most, bytes] = [0, 0]
  for await (const chunk of res) {
    bytes += chunk.length
    if (Math.floor(bytes / 5e6) === Math.floor((bytes - chunk.length) / 5e6)) continue
    await sleep(30)
    most = Math.max(most, (await ask('memory')).rss - before.rss)
  }
  return most
}
