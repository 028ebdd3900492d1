// A server with streams, for bench/streams.mjs. Decorators are called as functions: this file is not compiled.
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { App, Controller, Get, JsonLines, Sse, sseComment } from '../../dist/index.js'

const Item = { type: 'object', properties: { n: { type: 'integer' }, text: { type: 'string' } } }
const PAD = 'x'.repeat(1000)
const LARGE = 100_000

function countOf({ url }) {
  return Number(new URL(url, 'http://localhost').searchParams.get('count'))
}

class StreamsController {
  async *items(req) {
    const count = countOf(req)
    for (let n = 0; n < count; n++) yield { n, text: 'token' }
  }

  async *large() {
    for (let n = 0; n < LARGE; n++) yield { n, text: PAD }
  }

  async *open(req) {
    yield sseComment('open')
    await new Promise((resolve) => req.signal.addEventListener('abort', resolve))
  }
}

function decorate(name, ...decorators) {
  const { prototype } = StreamsController
  const descriptor = Object.getOwnPropertyDescriptor(prototype, name)
  for (const each of decorators) each(prototype, name, descriptor)
}
decorate('items', Sse(Item), Get('items'))
decorate('large', JsonLines(Item), Get('large'))
decorate('open', Sse(Item), Get('open'))
Controller()(StreamsController)

/** The same work with `res.write` alone. */
async function* bareItems(count) {
  for (let n = 0; n < count; n++) yield { n, text: 'token' }
}

const bare = createServer(async (req, res) => {
  res.writeHead(200, { 'Content-Type': 'text/event-stream' })
  if (req.url === '/open') {
    res.write(': open\n\n')
    return
  }
  for await (const item of bareItems(countOf(req))) {
    if (!res.write(`data: ${JSON.stringify(item)}\n\n`)) {
      await new Promise((resolve) => res.once('drain', resolve))
    }
  }
  res.end()
})
await new Promise((resolve) => bare.listen(0, '127.0.0.1', resolve))

const app = new App({
  controllers: [StreamsController],
  logger: false,
  rateLimit: false,
  swagger: false,
})
const { port } = await app.listen(0, '127.0.0.1')
process.send({ port, barePort: bare.address().port })

process.on('message', async () => {
  for (let i = 0; i < 3; i++) {
    globalThis.gc()
    await sleep(50)
  }
  const { heapUsed, rss, external } = process.memoryUsage()
  process.send({ heapUsed, rss, external, cpu: process.cpuUsage() })
})
