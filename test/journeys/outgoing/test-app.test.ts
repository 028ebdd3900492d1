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

describe('app.outgoing', () => {
  it('answers calls, and lists them', async () => {
    await using app = await create()
    app.outgoing.answer('POST', BANK, { status: 201, json: { id: 7 }, headers: { 'x-a': '1' } })
    const response = await app.request().post('/orders').send({ cents: 5 }).expect(200)
    expect(response.body.data).toEqual({ status: 201, charge: { id: 7 } })
    expect(app.outgoing.calls).toEqual([{ method: 'POST', url: BANK, body: '{"cents":5}' }])
  })

  it('replaces an earlier answer by a later one', async () => {
    await using app = await create()
    app.outgoing.answer('post', BANK, { json: 1 })
    app.outgoing.answer('POST', BANK, { json: 2 })
    const response = await app.request().post('/orders').send({ cents: 5 })
    expect(response.body.data).toEqual({ status: 200, charge: 2 })
  })

  it('answers by a function, by text, with an error, and without regard to the query', async () => {
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

  it('follows redirects, each with its response, and checks untrusted ones', async () => {
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

  it('lets a call end with its signal while its answer is on its way', async () => {
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

describe('a call that no test has answered', () => {
  const text =
    /POST https:\/\/bank\.example\/charges.*\n {2}app\.outgoing\.answer\('POST', 'https:\/\/bank\.example\/charges', \{ status: 200, json: \{\} \}\)/

  it('fails its request with method, URL and the code to paste', async () => {
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

  it('fails it also if the application has handled the error', async () => {
    await using app = await create()
    await expect(app.request().get('/orders/caught').expect(200)).rejects.toThrow(
      UnansweredCallError,
    )
  })

  it('fails the end of the application outside of requests', async () => {
    const app = await create()
    await app
      .get(Outgoing)(BANK)
      .catch(() => {})
    await app
      .get(Outgoing)(BANK)
      .catch(() => {})
    await expect(app.close()).rejects.toThrow(/GET https:\/\/bank/)
  })

  it('is checked with the options: each answer of `calls` is used once', async () => {
    const calls = [{ method: 'POST', url: BANK, json: { id: 1 } }]
    await using app = await create({ calls })
    const send = () => app.request().post('/orders').send({ cents: 5 })
    expect((await send()).body.data.charge).toEqual({ id: 1 })
    await send().expect(500)
    await expect(create({ calls: [{ url: BANK }] as never })).rejects.toThrow('calls')
  })
})
