import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { App, Cache, Controller, Get, type Request } from 'blazon'
import express from 'express'
import { afterEach, expect, it } from 'vitest'
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
let server: Server
afterEach(async () => {
  server.close()
  await app.close()
})

it('an application that is mounted in another one caches as ever, apart by where it is mounted', async () => {
  app = new App({ controllers: [ThingsController], logger: false })
  const host = express().use('/a', app.handler).use('/b', app.handler)
  server = createServer(host).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
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
