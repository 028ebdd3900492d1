import { type ClientRequest, request } from 'node:http'
import { Auth, type AuthGuard, Cache, Controller, Get, NotFoundError, type Response } from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, expect, it } from 'vitest'
import { defer } from './support.js'

let calls = 0

@Auth()
@Controller('items')
class ItemsController {
  @Cache({ ttl: 60 })
  @Get(':id')
  find() {
    calls++
    throw new NotFoundError()
  }
}

let app: TestApp
afterEach(() => app.close())

it('a request does not wait for another request whose client left before the handler ran', async () => {
  const asked = defer<Response>()
  const gate = defer()
  const guard: AuthGuard = {
    async canActivate(req) {
      req.user = { id: 1 }
      asked.resolve(req.res as Response)
      if (calls === 0) await gate.promise
      return true
    },
  }
  app = await TestApp.create({ controllers: [ItemsController], auth: { guard }, contract: 'off' })
  // The clock does not move, so no request can stop waiting because of a time limit.
  await app.clock.advance(0)
  const { port } = await app.listen(0, '127.0.0.1')
  const path = { port, host: '127.0.0.1', path: '/items/1' }
  const lost: ClientRequest = request(path).on('error', () => {})
  lost.end()
  const res = await asked.promise
  lost.destroy()
  if (!res.closed) await new Promise((resolve) => res.once('close', resolve))
  gate.resolve()
  while (calls === 0) await new Promise(setImmediate)
  const { status } = await fetch(`http://127.0.0.1:${port}/items/1`)
  expect([status, calls]).toEqual([404, 2])
})
