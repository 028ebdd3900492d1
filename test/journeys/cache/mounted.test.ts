import { once } from 'node:events'
import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { Writable } from 'node:stream'
import { App, Cache, Controller, Get, type Request } from 'blazon'
import express from 'express'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { settle } from './support.js'

let calls = 0

@Controller('things')
class ThingsController {
  @Cache({ ttl: 0.001, staleWhileRevalidate: '1h' })
  @Get('stale')
  stale(req: Request) {
    return { call: ++calls, base: req.baseUrl }
  }

  @Cache({ ttl: '1h' })
  @Get()
  list(req: Request) {
    return { call: ++calls, base: req.baseUrl }
  }
}

let app: App
let server: Server | undefined
beforeEach(() => {
  calls = 0
})
afterEach(async () => {
  server?.close()
  await app.close()
})

it('an application mounted under several paths caches the responses of each path separately', async () => {
  app = new App({ controllers: [ThingsController], logger: false })
  const host = express().use('/a', app.handler).use('/b', app.handler)
  const listening = createServer(host).listen(0, '127.0.0.1')
  server = listening
  await new Promise((resolve) => listening.once('listening', resolve))
  const { port } = listening.address() as AddressInfo
  const ask = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`)
    const { data } = (await answer.json()) as { data: { call: number; base: string } }
    return `${answer.headers.get('x-cache')} ${data.call} ${data.base}`
  }
  expect(await ask('/a/things')).toBe('MISS 1 /a')
  expect(await ask('/b/things')).toBe('MISS 2 /b')
  expect(await ask('/a/things')).toBe('HIT 1 /a')
  expect(await ask('/a/things/stale')).toBe('MISS 3 /a')
  await new Promise((resolve) => setTimeout(resolve, 5))
  expect(await ask('/a/things/stale')).toBe('STALE 3 /a')
  await settle()
  expect(calls).toBe(4)
})

it.each([
  ['undefined', undefined],
  ['null', null],
  ['a plain object', { remoteAddress: '10.0.0.1' }],
])(
  'an application caches responses even if the platform provides %s instead of a socket',
  async (_, socket) => {
    app = new App({ controllers: [ThingsController], logger: false })
    await app.init()
    const ask = async () => {
      const req = new IncomingMessage(socket as unknown as Socket)
      const headers = { host: 'a.example' }
      Object.assign(req, { method: 'GET', url: '/things', headers, complete: true })
      const res = new ServerResponse(req)
      const written: Buffer[] = []
      const write = (chunk: Buffer, _: string, done: () => void) => {
        written.push(chunk)
        done()
      }
      res.assignSocket(new Writable({ write }) as Socket)
      app.handler(req, res)
      await once(res, 'finish')
      const [head = '', text = ''] = Buffer.concat(written).toString().split('\r\n\r\n')
      const { data } = JSON.parse(text) as { data: { call: number } }
      return `${/^x-cache: (.+)$/im.exec(head)?.[1]} ${data.call}`
    }
    expect(await ask()).toBe('MISS 1')
    await settle()
    expect(await ask()).toBe('HIT 1')
  },
)
