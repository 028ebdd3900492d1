import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { App, Controller, defineControllers, Get, Query, type Request } from 'blazon'
import { TestApp } from 'blazon/testing'
import express from 'express'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'

let ran: string[] = []

@Controller()
class ListsController {
  @Get('validated')
  @Query(z.record(z.string(), z.string()))
  validated({ query }: Request) {
    ran.push('validated')
    return Object.keys(query).length
  }

  @Get('read')
  read({ query }: Request) {
    ran.push('read')
    return Object.keys(query).length
  }
}

type TestOptions = Parameters<typeof TestApp.create>[0]

const closing: (() => unknown)[] = []

afterEach(async () => {
  ran = []
  for (const close of closing.splice(0).reverse()) await close()
})

async function make(options: TestOptions = {}): Promise<TestApp> {
  const controllers = defineControllers(ListsController)
  const app = await TestApp.create({ contract: 'throw', controllers, logger: false, ...options })
  closing.push(() => app.close())
  return app
}

const ids = (count: number) => Array.from({ length: count }, (_, i) => `p${i}=${i}`).join('&')

const REFUSED = {
  statusCode: 'error',
  status: 400,
  code: 'TOO_MANY_PARAMETERS',
  message: expect.stringContaining('1000 parameters'),
}

describe.each(['simple', 'extended', true])('the query parser %j', (parser) => {
  const makeWith = async (options?: TestOptions) => {
    const app = await make(options)
    app.express.set('query parser', parser)
    return app
  }

  it.each(['/validated', '/read'])('reads all of 1,000 parameters: %s', async (path) => {
    const app = await makeWith()
    for (const query of [ids(1000), `${ids(1000)}&`]) {
      const { status, body } = await app.request().get(`${path}?${query}`)
      expect({ status, data: body.data }).toEqual({ status: 200, data: 1000 })
    }
  })

  it.each([ids(1001), ids(1500), `${'&'.repeat(1500)}id=1`, `id=1${'&'.repeat(1200)}id=2`])(
    'results in a 400 response to more than 1,000 parameters before any middleware runs',
    async (query) => {
      const app = await makeWith({ middlewares: [(_req, _res, next) => next(void ran.push('mw'))] })
      for (const path of ['/validated', '/read', '/nowhere']) {
        const { status, body } = await app.request().get(`${path}?${query}`)
        expect({ status, body }).toEqual({ status: 400, body: REFUSED })
      }
      expect(ran).toEqual([])
    },
  )

  it('does not count the length of values, or separators before the question mark', async () => {
    const app = await makeWith()
    const { status } = await app.request().get(`/read?id=${'x'.repeat(3000)}`)
    const path = await app.request().get(`/nowhere${'&'.repeat(1500)}?id=1`)
    expect([status, path.status]).toEqual([200, 404])
  })
})

describe('a custom query parser', () => {
  it('is not limited to 1,000 parameters, and neither is an application without a parser', async () => {
    const app = await make({ contract: 'off' })
    const query = ids(1500)
    app.express.set('query parser', (text: string) => Object.fromEntries(new URLSearchParams(text)))
    expect((await app.request().get(`/read?${query}`)).body.data).toBe(1500)
    expect((await app.request().get(`/validated?${query}`)).body.data).toBe(1500)
    app.express.set('query parser', false)
    expect((await app.request().get(`/read?${query}`)).status).toBe(200)
  })
})

describe('the response to a query with too many parameters', () => {
  it('has CORS headers, and its preflight request succeeds', async () => {
    const origin = 'https://a.example'
    const app = await make({ security: { cors: { origin } } })
    const url = `/read?${ids(1500)}`
    const preflight = await app
      .request()
      .options(url)
      .set('Origin', origin)
      .set('Access-Control-Request-Method', 'GET')
    const { status, headers } = await app.request().get(url).set('Origin', origin)
    expect({ preflight: preflight.status, status }).toEqual({ preflight: 204, status: 400 })
    expect(headers['access-control-allow-origin']).toBe(origin)
  })

  it('is sent for routes of the App, but not for routes of its host', async () => {
    const app = new App({ controllers: defineControllers(ListsController), logger: false })
    closing.push(() => app.close())
    const host = express().use('/api', app.handler)
    host.set('query parser', (text: string) => Object.fromEntries(new URLSearchParams(text)))
    host.get('/api/theirs', (req, res) => void res.json(Object.keys(req.query).length))
    const server = createServer(host)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closing.push(() => new Promise((resolve) => server.close(resolve)))
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`
    const ours = await fetch(`${base}/read?${ids(1500)}`)
    const theirs = await fetch(`${base}/theirs?${ids(1500)}`)
    expect({ ours: await ours.json(), theirs: await theirs.json() }).toEqual({
      ours: REFUSED,
      theirs: 1500,
    })
  })
})
