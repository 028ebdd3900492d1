import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  App,
  type AppOptions,
  Body,
  Controller,
  HttpError,
  inject,
  Outgoing,
  Post,
  type Request,
} from 'blazon'
import { openCapsule, TestApp } from 'blazon/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import type { Capsule } from '../../../src/contracts/capsule.js'
import { until } from '../../integrations/until.js'
import { otherHost } from './other-host.js'

let hasRepair = false

/** The order is charged, and then the server fails. */
@Controller('orders')
class OrdersController {
  readonly #outgoing = inject(Outgoing)

  @Post() @Body(z.object({ bank: z.string() })) async create({ body }: Request) {
    const { bank } = body as { bank: string }
    const response = await this.#outgoing(`${bank}/charges?key=query-canary-9&order=7`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer token-canary-9' },
      body: JSON.stringify({ cents: 100, password: 'sent-canary-9' }),
    })
    const charge = (await response.json()) as { id: number }
    if (hasRepair) return { charged: charge.id, type: response.headers.get('x-type') }
    throw new HttpError(500, `The charge ${charge.id} was lost`)
  }

  @Post('again') @Body(z.object({ bank: z.string() })) async again({ body }: Request) {
    const { bank } = body as { bank: string }
    await this.#outgoing(`${bank}/bytes`).then((response) => response.arrayBuffer())
    await this.#outgoing('http://127.0.0.1:1/').catch(() => {})
    throw new Error('lost')
  }

  @Post('large') @Body(z.object({ bank: z.string() })) async large({ body }: Request) {
    const { bank } = body as { bank: string }
    const send = async (path: string, init?: RequestInit) =>
      (await (await this.#outgoing(`${bank}${path}`, { ...init })).text()).length
    await send('/form', { method: 'POST', body: new URLSearchParams({ a: '1', b: '2' }) })
    await send('/sent', { method: 'POST', body: Buffer.from('{"a":1}') })
    expect(await send('/million')).toBe(1_000_000)
    expect(await send('/large')).toBe(1_000_001)
    throw new Error('lost')
  }
}

const options: AppOptions = { controllers: [OrdersController] }

/** Sends a request that fails, and returns its capsule. */
async function capsuleOf(path: string) {
  const bank = await otherHost((req, res) => {
    if (req.url === '/bytes') return void res.end(Buffer.from([0xff, 0xfe, 0x00]))
    const sizes: Record<string, number> = { '/million': 1_000_000, '/large': 1_000_001 }
    const size = sizes[req.url ?? '']
    if (size !== undefined) return void res.end('x'.repeat(size))
    if (req.url === '/form' || req.url === '/sent') return void res.end('ok')
    res.writeHead(201, { 'content-type': 'application/json', 'x-type': 'charge' })
    res.end('{"id":41,"token":"answer-canary-9"}')
  })
  const folder = mkdtempSync(join(tmpdir(), 'blazon calls-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const app = await App.create({ ...options, records: { capsules: { folder } }, logger: false })
  await app.fetch(
    new globalThis.Request(`http://localhost${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ bank: bank.url }),
    }),
  )
  await until(() => readdirSync(folder).some((name) => name.endsWith('.json')))
  await app.close()
  const [name = ''] = readdirSync(folder).filter((each) => each.endsWith('.json'))
  const file = join(folder, name)
  const text = readFileSync(file, 'utf8')
  return { bank, file, text, capsule: JSON.parse(text) as Capsule }
}

describe('a capsule with outgoing calls', () => {
  it('contains the calls of its request with their responses, but without secrets', async () => {
    const { bank, capsule, text } = await capsuleOf('/orders')
    const host = new URL(bank.url).host
    expect(capsule.record.calls).toEqual([
      {
        method: 'POST',
        host,
        path: '/charges',
        status: 201,
        at: expect.any(Number),
        durationMs: expect.any(Number),
        attempts: 1,
        error: null,
        place: null,
      },
    ])
    const [call] = capsule.calls
    expect(call).toMatchObject({ method: 'POST', status: 201, error: null })
    expect(call?.url).toMatch(/\/charges\?key=.*&order=7$/)
    expect(JSON.parse(call?.body ?? '')).toEqual({ id: 41, token: '[secret]' })
    expect(JSON.parse(call?.sent ?? '')).toEqual({ cents: 100, password: '[secret]' })
    expect(Object.fromEntries(call?.headers ?? [])).toEqual({
      ...{ 'content-type': 'application/json', 'x-type': 'charge' },
      date: expect.any(String),
    })
    expect(text).not.toMatch(/(?:token|sent|answer)-canary-9/)
    expect(capsule.cut).toEqual([])
  })

  it('contains binary data and failures', async () => {
    const { capsule } = await capsuleOf('/orders/again')
    expect(capsule.calls).toMatchObject([
      { base64: '//4A', body: null, error: null },
      {
        url: 'http://127.0.0.1:1/',
        status: null,
        error: expect.not.stringMatching('fetch failed'),
      },
    ])
    expect(capsule.cut).toEqual([])
  })
})

it('a capsule with outgoing calls contains forms and bytes that were sent, and reports a large response', async () => {
  const { bank, capsule } = await capsuleOf('/orders/large')
  expect(capsule.calls).toMatchObject([
    { url: `${bank.url}/form`, sent: 'a=1&b=2', body: 'ok' },
    { url: `${bank.url}/sent`, sent: '{"a":1}', body: 'ok' },
    { url: `${bank.url}/million`, sent: null, status: 200 },
    { url: `${bank.url}/large`, sent: null, status: 200 },
  ])
  expect(capsule.calls[2]?.body).toHaveLength(1_000_000)
  expect(capsule.cut).toEqual([`The response to a call is incomplete: GET ${bank.url}/large`])
})

describe('a replay with outgoing calls', () => {
  it('does not send the calls a second time', async () => {
    const { bank, file } = await capsuleOf('/orders')
    expect(bank.got).toHaveLength(1)
    using capsule = openCapsule(file)
    await using app = await TestApp.create({ ...options, ...capsule.options })
    const response = await capsule.replay(app)
    expect(response.status).toBe(500)
    expect(app.explain(response).error?.message).toBe('The charge 41 was lost')
    expect(bank.got).toHaveLength(1)
    expect(capsule.unanswered).toBeNull()
  })

  it('also provides responses to the corrected code', async () => {
    const { bank, file } = await capsuleOf('/orders')
    hasRepair = true
    onTestFinished(() => {
      hasRepair = false
    })
    using capsule = openCapsule(file)
    await using app = await TestApp.create({ ...options, ...capsule.options })
    const response = await capsule.replay(app)
    expect(response.body.data).toEqual({ charged: 41, type: 'charge' })
    expect(bank.got).toHaveLength(1)
  })

  it('fails with the URL of a call that has no response in the capsule', async () => {
    const { bank, file, capsule: written } = await capsuleOf('/orders')
    writeFileSync(file, JSON.stringify({ ...written, calls: [] }))
    using capsule = openCapsule(file)
    await using app = await TestApp.create({ ...options, ...capsule.options })
    await expect(capsule.replay(app)).rejects.toMatchObject({
      name: 'UnansweredCallError',
      url: expect.stringContaining(`${bank.url}/charges`),
    })
    expect(bank.got).toHaveLength(1)
  })

  it('returns the binary data and the failures of the calls', async () => {
    const { file } = await capsuleOf('/orders/again')
    using capsule = openCapsule(file)
    await using app = await TestApp.create({ ...options, ...capsule.options })
    const response = await capsule.replay(app)
    expect(app.explain(response).calls).toMatchObject([
      { path: '/bytes', status: 200 },
      { status: null, error: 'fetch failed' },
    ])
  })
})

describe('the record of a request with calls', () => {
  it('is shown by a failed assertion, with the source location of each call', async () => {
    await using app = await TestApp.create({ ...options, contract: 'off' })
    app.outgoing.answer('POST', 'https://bank.example/charges', { json: { id: 5 } })
    const send = app.request().post('/orders').send({ bank: 'https://bank.example' })
    await expect(send.expect(201)).rejects.toThrow(
      /call +POST bank\.example\/charges → 200 in [\d.]+ ms at test\/journeys\/outgoing\/capsule\.test\.ts:\d+/,
    )
  })
})
