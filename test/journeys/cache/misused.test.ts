import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Cache, Controller, Get, type Request, type Response } from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, expect, it } from 'vitest'
import { settle } from './support.js'

// The types forbid this, but JavaScript allows it.
const reject = (async () => Promise.reject(new Error('no'))) as never

const raise = () => {
  throw Object.create(null)
}

@Controller()
class MisusedController {
  @Cache({ ttl: 60, key: reject })
  @Get('key')
  key() {
    return 'made'
  }

  @Cache({ ttl: 60, tags: reject })
  @Get('tags')
  tags() {
    return 'made'
  }

  @Cache({ ttl: 60, key: raise })
  @Get('thrown-key')
  thrownKey() {
    return 'made'
  }

  @Cache({ ttl: 60, tags: raise })
  @Get('thrown-tags')
  thrownTags() {
    return 'made'
  }

  @Cache({ ttl: 60, key: (req) => String(req.headers['accept-language']) })
  @Get('language')
  language(req: Request, res: Response) {
    res.vary('Accept-Language').on('finish', () => seen.push(req.get('accept-language')))
    return 'made'
  }
}

let seen: unknown[] = []

let app: TestApp
afterEach(() => app.close())

it.each(['key', 'tags', 'thrown-key', 'thrown-tags'])(
  'a rejected promise or a thrown object without toString bypasses the cache only: %s',
  async (name) => {
    app = await TestApp.create({ controllers: [MisusedController] })
    const { status, headers } = await app.request().get(`/${name}`)
    expect([status, headers['x-cache']]).toEqual([200, 'BYPASS'])
    // If the rejection were not handled, close() of the application would throw it.
    await settle()
  },
)

it('a request whose headers property was replaced keeps these headers', async () => {
  seen = []
  app = await TestApp.create({ controllers: [MisusedController] })
  const server = createServer((req, res) => {
    const headers = { ...req.headers, 'accept-language': 'de' }
    Object.defineProperty(req, 'headers', { value: headers, configurable: true })
    app.handler(req, res)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const get = async () => {
    const options = { headers: { connection: 'close' } }
    return (await fetch(`http://127.0.0.1:${port}/language`, options)).headers.get('x-cache')
  }
  const states = [await get(), await get()]
  await new Promise((resolve) => server.close(resolve))
  expect(states).toEqual(['MISS', 'HIT'])
  expect(seen).toEqual(['de'])
})
