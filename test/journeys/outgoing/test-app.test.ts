import {
  type AppOptions,
  Body,
  Controller,
  defineControllers,
  Get,
  inject,
  Outgoing,
  type OutgoingInit,
  Post,
  type Request,
} from 'blazon'
import { TestApp, type TestOptions, UnansweredCallError } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { turns } from '../turns.js'

const BANK = 'https://bank.example/charges'

@Controller('orders')
class OrdersController {
  readonly #outgoing = inject(Outgoing)

  @Post()
  @Body(z.object({ cents: z.number() }))
  async create({ body }: Request) {
    const response = await this.#outgoing(BANK, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: response.status, charge: await response.json() }
  }

  @Get('call') async call({ query }: Request) {
    const { url, ...init } = query as { url: string } & OutgoingInit
    const response = await this.#outgoing(url, { ...init, public: 'public' in init })
    return { url: response.url, text: await response.text(), type: response.headers.get('x-type') }
  }

  @Get('caught') async caught() {
    await this.#outgoing(BANK).catch(() => {})
    return []
  }
}

const options: AppOptions = { controllers: defineControllers(OrdersController) }
const create = (more: TestOptions = {}) => TestApp.create({ ...options, contract: 'off', ...more })

describe('the object app.outgoing', () => {
  it('provides responses for calls, and lists the calls', async () => {
    await using app = await create()
    app.outgoing.answer('POST', BANK, { status: 201, json: { id: 7 }, headers: { 'x-a': '1' } })
    const response = await app.request().post('/orders').send({ cents: 5 }).expect(200)
    expect(response.body.data).toEqual({ status: 201, charge: { id: 7 } })
    expect(app.outgoing.calls).toEqual([{ method: 'POST', url: BANK, body: '{"cents":5}' }])
  })

  it('replaces an earlier response with a later one', async () => {
    await using app = await create()
    app.outgoing.answer('post', BANK, { json: 1 })
    app.outgoing.answer('POST', BANK, { json: 2 })
    const response = await app.request().post('/orders').send({ cents: 5 })
    expect(response.body.data).toEqual({ status: 200, charge: 2 })
  })

  it('can respond with the result of a function, a string or an error, and to any query', async () => {
    await using app = await create()
    const ask = async (url: string) =>
      (await app.request().get('/orders/call').query({ url })).body.data
    app.outgoing.answer('GET', 'https://a.example', ({ url, headers }) => ({
      body: `${url} ${Object.keys(headers).includes('traceparent')}`,
      headers: { 'x-type': 'text' },
    }))
    app.outgoing.answer('GET', 'https://a.example/?b=1', { status: 204 })
    expect(await ask('https://a.example/?a=1')).toEqual({
      url: 'https://a.example/?a=1',
      text: 'https://a.example/?a=1 true',
      type: 'text',
    })
    expect(await ask('https://a.example/?b=1')).toMatchObject({ text: '' })
    app.outgoing.answer('GET', 'https://a.example', { error: 'reset' })
    await app.request().get('/orders/call').query({ url: 'https://a.example' }).expect(500)
    expect(app.logs.at(-1)?.facts['err']).toMatchObject({ cause: { message: 'reset' } })
  })

  it('follows redirects, and refuses a redirect to a private address if the call must be public', async () => {
    await using app = await create()
    const ask = (query: object) => app.request().get('/orders/call').query(query)
    const redirect = (location: string) => ({ status: 302, headers: { location } })
    app.outgoing.answer('GET', 'https://a.example/', redirect('/b'))
    app.outgoing.answer('GET', 'https://a.example/b', { body: 'end' })
    const { body } = await ask({ url: 'https://a.example/' }).expect(200)
    expect(body.data).toMatchObject({ url: 'https://a.example/b', text: 'end' })
    app.outgoing.answer('GET', 'https://a.example/', redirect('http://10.0.0.8/admin'))
    app.outgoing.answer('GET', 'http://10.0.0.8/admin', { body: 'inside' })
    await ask({ url: 'https://a.example/', public: '' }).expect(400, /URL_NOT_PUBLIC/)
    await ask({ url: 'http://127.1/', public: '' }).expect(400)
    expect(app.outgoing.calls.map(({ url }) => url)).not.toContain('http://10.0.0.8/admin')
  })

  it('lets the time limit of a call expire while its response is pending', async () => {
    await using app = await create()
    app.outgoing.answer('GET', 'https://a.example/', () => new Promise(() => {}))
    const sent = app
      .request()
      .get('/orders/call')
      .query({ url: 'https://a.example/', timeout: '5s' })
      .expect(500)
      .then(() => app.logs.at(-1))
    while (app.outgoing.calls.length === 0) await new Promise(setImmediate)
    await app.clock.advance('5s')
    expect((await sent)?.facts['err']).toMatchObject({ name: 'TimeoutError' })
  })
})

describe('the abort of an outgoing call according to the application clock', () => {
  /** In the order in which they happened. */
  const events: string[] = []

  @Controller('ends')
  class EndsController {
    readonly #outgoing = inject(Outgoing)

    /** A call that has no answer. */
    async #hang() {
      const error = await this.#outgoing(BANK).catch(({ name, code }) => `${name} ${code}`)
      events.push(`the call: ${error}`)
    }

    @Get('waits') async waits() {
      await this.#hang()
    }

    @Get('leaves') leaves() {
      void this.#hang()
      return []
    }

    @Post('reads') async reads(req: Request) {
      const call = this.#hang()
      for await (const chunk of req) events.push(String(chunk))
      events.push('read')
      await call
    }
  }

  const started = async () => {
    events.length = 0
    const app = await TestApp.create({
      controllers: defineControllers(EndsController),
      contract: 'off',
      timeouts: { handler: '30s' },
    })
    app.outgoing.answer('GET', BANK, () => new Promise(() => {}))
    return app
  }
  const begun = async (app: TestApp) => {
    while (app.outgoing.calls.length === 0) await turns(1)
  }

  it('is caused by the handler timeout of a request that waits for the call', async () => {
    await using app = await started()
    const sent = app
      .request()
      .get('/ends/waits')
      .then(({ status }) => events.push(`${status}`))
    await begun(app)
    await app.clock.advance('29s')
    expect(events).toEqual([])
    // The clock stands still from here on: the call does not outlive its request by a millisecond.
    await app.clock.advance('1s')
    await sent
    await turns()
    expect(events.sort()).toEqual(['503', expect.stringMatching(/^the call: .*HANDLER_TIMEOUT$/)])
  })

  it('is caused at the latest 50 ms after the time limit of a request that has ended', async () => {
    await using app = await started()
    await app.request().get('/ends/leaves').expect(200)
    await begun(app)
    await app.clock.advance('29s')
    await turns()
    expect(events).toEqual([])
    await app.clock.advance(1.05)
    await turns()
    expect(events).toEqual(['the call: TimeoutError 23'])
  })

  it('is delayed while the client sends the body that the handler reads', async () => {
    await using app = await started()
    const { readable, writable } = new TransformStream<Uint8Array>()
    const client = writable.getWriter()
    const write = async (text: string) => {
      await client.write(Buffer.from(text))
      while (events.at(-1) !== text) await turns(1)
    }
    const init = { method: 'POST', body: readable, duplex: 'half' } as RequestInit
    const sent = app.fetch('/ends/reads', init)
    for (const text of ['a', 'b', 'c']) {
      await write(text)
      await app.clock.advance('29s')
    }
    expect(events).toEqual(['a', 'b', 'c'])
    await client.close()
    while (events.at(-1) !== 'read') await turns(1)
    // The limit of the handler has begun again when it expired while the body arrived.
    await app.clock.advance('30s')
    expect((await sent).status).toBe(503)
    await turns()
    expect(events.slice(4)).toEqual([expect.stringMatching(/^the call: .*HANDLER_TIMEOUT$/)])
  })
})

describe('an outgoing call without a response in the test', () => {
  const text =
    /POST https:\/\/bank\.example\/charges.*\n {2}app\.outgoing\.answer\('POST', 'https:\/\/bank\.example\/charges', \{ status: 200, json: \{\} \}\)/

  it('makes its request fail with the method, the URL and the code that the test lacks', async () => {
    await using app = await create()
    await expect(app.request().post('/orders').send({ cents: 5 }).expect(500)).rejects.toThrow(text)
    await expect(
      app.fetch('/orders', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"cents":5}',
      }),
    ).rejects.toThrow(UnansweredCallError)
  })

  it('makes the request fail even if the application has handled the error', async () => {
    await using app = await create()
    await expect(app.request().get('/orders/caught').expect(200)).rejects.toThrow(
      UnansweredCallError,
    )
  })

  it('makes close() fail when it is sent outside of requests', async () => {
    const app = await create()
    await app
      .get(Outgoing)(BANK)
      .catch(() => {})
    await app
      .get(Outgoing)(BANK)
      .catch(() => {})
    await expect(app.close()).rejects.toThrow(/GET https:\/\/bank/)
  })

  it('is also detected with the `calls` option, which provides each response once', async () => {
    const calls = [{ method: 'POST', url: BANK, json: { id: 1 } }]
    await using app = await create({ calls })
    const send = () => app.request().post('/orders').send({ cents: 5 })
    expect((await send()).body.data.charge).toEqual({ id: 1 })
    await send().expect(500)
    await expect(create({ calls: [{ url: BANK }] as never })).rejects.toThrow('calls')
  })
})
