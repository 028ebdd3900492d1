// One server with streams, for bench/streams.mjs: ours, or one of two of node:http. Decorators are called as functions: this
// file is not compiled.
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  App,
  Controller,
  csv,
  Get,
  JsonLines,
  Produces,
  Sse,
  sseComment,
} from '../../dist/index.js'

const Item = {
  type: 'object',
  properties: { id: { type: 'integer' }, name: { type: 'string' }, total: { type: 'number' } },
}
const PAD = 'x'.repeat(1000)
const LARGE = 100_000

const countOf = ({ url }) => Number(new URL(url, 'http://localhost').searchParams.get('count'))

/** What all servers send. */
async function* rows(count) {
  for (let id = 0; id < count; id++) yield { id, name: 'a token of text', total: id / 4 }
}

class StreamsController {
  lines(req) {
    return rows(countOf(req))
  }

  events(req) {
    return rows(countOf(req))
  }

  csv(req) {
    return rows(countOf(req))
  }

  async *large() {
    for (let id = 0; id < LARGE; id++) yield { id, name: PAD }
  }

  async *open(req) {
    yield sseComment('open')
    await new Promise((resolve) => req.signal.addEventListener('abort', resolve))
  }

  async *quiet() {
    yield sseComment('open')
    await new Promise(() => {})
  }
}

function decorate(name, ...decorators) {
  const { prototype } = StreamsController
  const descriptor = Object.getOwnPropertyDescriptor(prototype, name)
  for (const each of decorators) each(prototype, name, descriptor)
}

async function startOurs() {
  decorate('lines', JsonLines(Item), Get('lines'))
  decorate('events', Sse(Item), Get('events'))
  decorate('csv', Produces(csv()), Get('csv'))
  decorate('large', JsonLines(Item), Get('large'))
  decorate('open', Sse(Item), Get('open'))
  decorate('quiet', Sse(Item), Get('quiet'))
  Controller()(StreamsController)
  const controllers = [StreamsController]
  const app = new App({ controllers, logger: false, rateLimit: false, swagger: false })
  return (await app.listen(0, '127.0.0.1')).port
}

const FORMATS = {
  '/lines': { type: 'application/jsonl', write: (row) => `${JSON.stringify(row)}\n` },
  '/events': { type: 'text/event-stream', write: (row) => `data: ${JSON.stringify(row)}\n\n` },
  '/csv': {
    type: 'text/csv',
    write: ({ id, name, total }) => `${id},${quoted(name)},${total}\r\n`,
  },
}

function quoted(text) {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const drained = (res) => new Promise((resolve) => res.once('drain', resolve))

/** Row by row, as the documentation of Node shows it. */
async function sendRows(res, items, write) {
  for await (const item of items) if (!res.write(write(item))) await drained(res)
}

/** Rows that are joined to one text for each write. */
async function sendJoined(res, items, write) {
  let text = ''
  for await (const item of items) {
    text += write(item)
    if (text.length < res.writableHighWaterMark) continue
    const isTaken = res.write(text)
    text = ''
    if (!isTaken) await drained(res)
  }
  res.write(text)
}

async function startBare(send) {
  const server = createServer(async (req, res) => {
    const { pathname } = new URL(req.url, 'http://localhost')
    if (pathname === '/open') {
      res.writeHead(200, { 'Content-Type': 'text/event-stream' })
      res.write(': open\n\n')
      return
    }
    const { type, write } = FORMATS[pathname]
    res.writeHead(200, { 'Content-Type': type })
    await send(res, rows(countOf(req)), write)
    res.end()
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server.address().port
}

const SERVERS = {
  blazon: startOurs,
  rows: () => startBare(sendRows),
  joined: () => startBare(sendJoined),
}

process.send({ port: await SERVERS[process.argv[2]]() })
process.on('disconnect', () => process.exit())
process.on('message', async (what) => {
  for (let i = 0; what === 'memory' && i < 3; i++) {
    globalThis.gc()
    await sleep(50)
  }
  const { heapUsed, rss, external } = process.memoryUsage()
  process.send({ heapUsed, rss, external, cpu: process.cpuUsage() })
})
