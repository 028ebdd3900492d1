import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Cache, Controller, Get, type Request, type Response } from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, expect, it } from 'vitest'
import { settle } from './support.js'

// The types forbid this, but JavaScript allows it.
const reject = (() => Promise.reject(new Error('no'))) as never

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

  @Cache({ ttl: 60, tags: () => ['a', 1] as never })
  @Get('numbered-tags')
  numberedTags() {
    return 'made'
  }

  @Cache({ ttl: 60, key: () => '' })
  @Get('empty-key')
  emptyKey() {
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

it.each([
  ['key', 'Its key is [object Promise], not a string'],
  ['empty-key', 'Its key is empty'],
  ['tags', 'Its tags are not a list of strings'],
  ['numbered-tags', 'Its tags are not a list of strings'],
  ['thrown-key', 'Its key threw a value that cannot be converted to a string'],
  ['thrown-tags', 'Its function `tags` threw a value that cannot be converted to a string'],
])(
  'a function in @Cache with an invalid result only disables the cache, with one warning: %s',
  async (name, mistake) => {
    app = await TestApp.create({ controllers: [MisusedController] })
    for (let i = 0; i < 2; i++) {
      const { status, headers } = await app.request().get(`/${name}`)
      expect([status, headers['x-cache']]).toEqual([200, 'BYPASS'])
    }
    // If the rejection were not handled, close() of the application would throw it.
    await settle()
    const lines = app.logs.map(({ level, message }) => `${level} ${message}`)
    expect(lines).toEqual([expect.stringMatching(/^warn @Cache of MisusedController\./)])
    expect(lines[0]).toContain(`${mistake}: the response is not cached.`)
  },
)

it('a request whose headers property was replaced keeps the new headers', async () => {
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
