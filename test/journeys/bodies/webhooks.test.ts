import { createHmac } from 'node:crypto'
import {
  App,
  type AppOptions,
  Auth,
  Body,
  Controller,
  githubWebhooks,
  Post,
  type Req,
  type Request,
  standardWebhooks,
  stripeWebhooks,
  Webhook,
  type WebhookReplays,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import express from 'express'
import { Webhook as StandardSender } from 'standardwebhooks'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { rowOf } from '../../../src/cli/texts.js'
import { bootProblems } from '../../support.js'

// The vector of https://docs.svix.com/receiving/verifying-payloads/how-manual
const STANDARD = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const STANDARD_ID = 'msg_p5jXN8AQM9LWM0D4loKWxJek'
const STANDARD_TIME = 1_614_265_330
const STANDARD_BODY = '{"test": 2432232314}'
const STANDARD_SIGNATURE = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='

// The vector of https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries
const GITHUB = "It's a Secret to Everybody"
const GITHUB_BODY = 'Hello, World!'
const GITHUB_SIGNATURE = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17'

const STRIPE = ['whsec_new', 'whsec_old']
const OLD_STANDARD = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const Event = z.object({ test: z.number() })
const handled: unknown[] = []
let failure: Error | null = null

@Controller('hooks')
class HooksController {
  @Post('standard')
  @Webhook(standardWebhooks([STANDARD, OLD_STANDARD]))
  @Body(Event)
  standard(req: Req<{ body: typeof Event }>) {
    if (failure !== null) throw failure
    handled.push(req.body)
    return {}
  }

  @Post('stripe')
  @Webhook(stripeWebhooks(() => STRIPE))
  stripe(req: Request) {
    handled.push(req.body)
    return {}
  }

  @Post('github')
  @Webhook(githubWebhooks(GITHUB))
  @Body({ type: 'text' })
  github(req: Req<{ body: { type: 'text' } }>) {
    handled.push(req.body)
    return {}
  }

  @Post('own')
  @Webhook({
    headers: ['X-Own'],
    verify: async ({ headers, body, nowMs }) => headers['x-own'] === `${body.length} ${nowMs}`,
  })
  @Body({ type: 'bytes' })
  own(req: Req<{ body: { type: 'bytes' } }>) {
    handled.push(req.body.toString('hex'))
    return {}
  }
}

let app: TestApp
const start = (options: AppOptions = {}) =>
  TestApp.create({
    controllers: [HooksController],
    contract: 'throw',
    auth: { guard: { canActivate: async () => false }, default: 'protected' },
    ...options,
  })

beforeEach(async () => {
  handled.length = 0
  failure = null
  app = await start()
  app.clock.set(STANDARD_TIME * 1000)
})
afterEach(() => app.close())

async function send(
  path: string,
  body: string | Buffer,
  headers: Record<string, string>,
  type = 'application/json',
) {
  const response = await app.fetch(`/hooks/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': type, ...headers },
    body: new Uint8Array(Buffer.from(body)),
  })
  return { status: response.status, body: JSON.parse(await response.text()) }
}

const standardHeaders = (given: object = {}) => ({
  'webhook-id': STANDARD_ID,
  'webhook-timestamp': String(STANDARD_TIME),
  'webhook-signature': STANDARD_SIGNATURE,
  ...given,
})
const standard = (given: object = {}, body = STANDARD_BODY) =>
  send('standard', body, standardHeaders(given))

const stripeHeader = (body: string, secret: string, seconds = STANDARD_TIME) => {
  const signature = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')
  return { 'Stripe-Signature': `t=${seconds},v1=${signature},v0=${'0'.repeat(64)}` }
}

describe('a Standard Webhooks request', () => {
  it('is accepted with the published example signature, and its handler receives the parsed body', async () => {
    expect((await standard()).status).toBe(200)
    expect(handled).toEqual([{ test: 2_432_232_314 }])
  })

  it('is accepted with Svix header names, with several signatures, and with an old secret', async () => {
    const svix = {
      'svix-id': STANDARD_ID,
      'svix-timestamp': String(STANDARD_TIME),
      'svix-signature': `v1a,${'x'.repeat(20)} v1,${'A'.repeat(43)}= ${STANDARD_SIGNATURE}`,
    }
    expect((await send('standard', STANDARD_BODY, svix)).status).toBe(200)
    for (const secret of [STANDARD, OLD_STANDARD]) {
      const id = `msg_${secret.length}`
      const at = new Date(STANDARD_TIME * 1000)
      const signature = new StandardSender(secret).sign(id, at, STANDARD_BODY)
      const sent = await standard({ 'webhook-id': id, 'webhook-signature': signature })
      expect(sent.status).toBe(200)
    }
  })

  it.each<[string, object, string?]>([
    ['no signature', { 'webhook-signature': '' }],
    ['no id', { 'webhook-id': '' }],
    ['a changed id', { 'webhook-id': 'msg_2' }],
    ['a changed body', {}, '{"test": 2432232315}'],
    ['the same JSON in other bytes', {}, '{"test":2432232314}'],
    [
      'another signature version',
      { 'webhook-signature': STANDARD_SIGNATURE.replace('v1,', 'v2,') },
    ],
    ['a truncated signature', { 'webhook-signature': STANDARD_SIGNATURE.slice(0, -6) }],
    ['a signature without a version', { 'webhook-signature': STANDARD_SIGNATURE.slice(3) }],
    ['a time that is not a number', { 'webhook-timestamp': `${STANDARD_TIME}.0` }],
    ['a negative time', { 'webhook-timestamp': `-${STANDARD_TIME}` }],
    ['a changed time', { 'webhook-timestamp': String(STANDARD_TIME + 1) }],
  ])('results in a 401 response with %s', async (_, given, body) => {
    const { status, body: error } = await standard(given, body)
    expect([status, error.code]).toEqual([401, 'WEBHOOK_UNVERIFIED'])
    expect(handled).toEqual([])
  })

  it('is refused if its time differs from the application clock by more than five minutes', async () => {
    for (const [seconds, status] of [
      [301, 401],
      [-301, 401],
      [-300, 200],
    ] as const) {
      app.clock.set((STANDARD_TIME + seconds) * 1000)
      expect((await standard()).status).toBe(status)
    }
  })

  it('results in a 409 response if it was handled before, unless it has a new time and signature', async () => {
    expect((await standard()).status).toBe(200)
    expect((await standard()).body.code).toBe('WEBHOOK_REPLAYED')
    const at = new Date((STANDARD_TIME + 60) * 1000)
    const again = {
      'webhook-timestamp': String(STANDARD_TIME + 60),
      'webhook-signature': new StandardSender(STANDARD).sign(STANDARD_ID, at, STANDARD_BODY),
    }
    expect((await standard(again)).status).toBe(200)
    expect(handled).toHaveLength(2)
  })

  it('can be sent again if its handler failed or its body was invalid', async () => {
    failure = new Error('the database is away')
    expect((await standard()).status).toBe(500)
    failure = null
    expect((await standard()).status).toBe(200)
    const signature = new StandardSender(STANDARD).sign(
      STANDARD_ID,
      new Date(STANDARD_TIME * 1000),
      '{',
    )
    for (let n = 0; n < 2; n++) {
      expect((await standard({ 'webhook-signature': signature }, '{')).body.code).toBe(
        'MALFORMED_JSON',
      )
    }
  })

  it('is refused while an identical request is in progress', async () => {
    const both = await Promise.all([standard(), standard()])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
  })
})

describe('a Stripe webhook', () => {
  const body = '{"id":"evt_1"}'

  it('is accepted with each configured secret, and with several signatures', async () => {
    for (const [index, secret] of STRIPE.entries()) {
      const each = `{"id":${index}}`
      expect((await send('stripe', each, stripeHeader(each, secret))).status).toBe(200)
    }
    const other = createHmac('sha256', 'other').update('').digest('hex')
    const { 'Stripe-Signature': header } = stripeHeader('{"id":"evt_2"}', 'whsec_new')
    const several = { 'Stripe-Signature': header.replace(',v1=', `,v1=${other},v1=`) }
    expect((await send('stripe', '{"id":"evt_2"}', several)).status).toBe(200)
    expect(handled).toEqual([{ id: 0 }, { id: 1 }, { id: 'evt_2' }])
  })

  it('is refused with an invalid signature, secret or time', async () => {
    const late = stripeHeader(body, 'whsec_new', STANDARD_TIME - 301)
    const { 'Stripe-Signature': right } = stripeHeader(body, 'whsec_new')
    for (const headers of [
      {},
      late,
      stripeHeader(body, 'whsec_other'),
      { 'Stripe-Signature': right.replace('v1=', 'v0=') },
      { 'Stripe-Signature': right.replace(/t=\d+/, `t=${STANDARD_TIME}x`) },
    ]) {
      expect((await send('stripe', body, headers)).status).toBe(401)
    }
    expect((await send('stripe', body, { 'Stripe-Signature': right })).status).toBe(200)
    expect((await send('stripe', body, { 'Stripe-Signature': right })).status).toBe(409)
  })
})

describe('a GitHub webhook', () => {
  const headers = { 'X-Hub-Signature-256': GITHUB_SIGNATURE, 'X-GitHub-Delivery': 'one' }
  const github = (given = headers) => send('github', GITHUB_BODY, given, 'text/plain')

  it('is accepted with the published example signature, but only once a day for each delivery', async () => {
    expect((await github()).status).toBe(200)
    expect((await github()).status).toBe(409)
    expect((await github({ ...headers, 'X-GitHub-Delivery': 'two' })).status).toBe(200)
    expect(handled).toEqual([GITHUB_BODY, GITHUB_BODY])
    await app.clock.advance('23h')
    expect((await github()).status).toBe(409)
    await app.clock.advance('2h')
    expect((await github()).status).toBe(200)
  })

  it('is refused with a wrong signature or another algorithm', async () => {
    for (const signature of [
      '',
      'sha256=',
      GITHUB_SIGNATURE.slice(7),
      `sha1=${GITHUB_SIGNATURE}`,
    ]) {
      expect((await github({ ...headers, 'X-Hub-Signature-256': signature })).status).toBe(401)
    }
  })
})

it('a custom verifier receives the headers, the bytes of the body and the time', async () => {
  const bytes = Buffer.from([0, 255])
  const type = 'application/octet-stream'
  const own = { 'X-Own': `2 ${STANDARD_TIME * 1000}` }
  expect((await send('own', bytes, own, type)).status).toBe(200)
  expect((await send('own', bytes, { 'X-Own': 'x' }, type)).status).toBe(401)
  expect(handled).toEqual(['00ff'])
})

it('a webhook request is refused if its body is missing, too large or of a wrong type', async () => {
  expect((await app.fetch('/hooks/standard', { method: 'POST' })).status).toBe(401)
  expect((await send('stripe', 'x'.repeat(200_000), {})).status).toBe(413)
  expect((await send('stripe', 'x', {}, 'text/plain')).status).toBe(415)
})

it('a signed delivery without a body reaches a handler without @Body', async () => {
  const deliver = async (signed: string, seconds: number, init: RequestInit) => {
    const headers = { ...init.headers, ...stripeHeader(signed, 'whsec_new', seconds) }
    return (await app.fetch('/hooks/stripe', { method: 'POST', ...init, headers })).status
  }
  const type = { 'Content-Type': 'application/json' }
  const length = { 'Content-Length': '0' }
  const body = () => new ReadableStream({ start: (each) => each.close() })
  const ways: (() => RequestInit)[] = [
    () => ({}),
    () => ({ headers: length }),
    () => ({ headers: { ...type, ...length } }),
    () => ({ headers: type, body: body(), duplex: 'half' }),
  ]
  for (const [index, init] of ways.entries()) {
    expect(await deliver('x', STANDARD_TIME + index, init())).toBe(401)
    expect(await deliver('', STANDARD_TIME + index, init())).toBe(200)
  }
  expect(handled).toEqual([undefined, undefined, undefined, undefined])
  expect(app.document.paths['/hooks/stripe']?.post?.requestBody).toMatchObject({ required: false })
})

it('a signed delivery without a body is refused if @Body describes one', async () => {
  const signed = new StandardSender(STANDARD)
  const signature = signed.sign(STANDARD_ID, new Date(STANDARD_TIME * 1000), '')
  const headers = standardHeaders({ 'webhook-signature': signature })
  for (const type of [undefined, 'application/json']) {
    const response = await app.fetch('/hooks/standard', {
      method: 'POST',
      headers: { ...headers, ...(type && { 'Content-Type': type, 'Content-Length': '0' }) },
    })
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { code: 'MALFORMED_JSON' },
    ])
  }
  expect(handled).toEqual([])
})

it('deliveries are recorded in the store of the `replays` option', async () => {
  const keys = new Map<string, number>()
  const replays: WebhookReplays = {
    claim: async (key, seconds) => !keys.has(key) && keys.set(key, seconds) === keys,
    release: (key) => keys.delete(key),
  }
  @Controller('shared')
  class Shared {
    @Post()
    @Webhook(stripeWebhooks('whsec_new', { replays, tolerance: '1m' }))
    handle() {
      return {}
    }
  }
  const [one, two] = [
    await start({ controllers: [Shared] }),
    await start({ controllers: [Shared] }),
  ]
  const statuses: number[] = []
  for (const each of [one, two]) {
    each.clock.set(STANDARD_TIME * 1000)
    const headers = { 'Content-Type': 'application/json', ...stripeHeader('{}', 'whsec_new') }
    const response = await each.fetch('/shared', { method: 'POST', headers, body: '{}' })
    statuses.push(response.status)
    await each.close()
  }
  expect(statuses).toEqual([200, 409])
  expect([...keys.values()]).toEqual([121])
})

it('the document contains the signature headers, and the responses 401 and 409', () => {
  const operation = app.document.paths['/hooks/standard']?.post
  expect(operation?.parameters?.map(({ name, required }) => [name, required])).toEqual([
    ['webhook-id', true],
    ['webhook-timestamp', true],
    ['webhook-signature', true],
  ])
  expect(Object.keys(operation?.responses ?? {})).toEqual(
    expect.arrayContaining(['401', '409', '415']),
  )
  expect(operation?.security).toBeUndefined()
  expect(app.document.paths['/hooks/stripe']?.post?.requestBody).toBeDefined()
})

it('a custom verifier is not a built-in scheme, whatever its fields are, and its headers are in the document', async () => {
  const verifier = { scheme: 'stripe', headers: ['X-Own'], verify: () => true }
  @Controller('own')
  class Own {
    @Webhook(verifier)
    @Post()
    add() {
      return 'added'
    }
  }
  await using other = await TestApp.create({ controllers: [Own], logger: false })
  const { status, body } = await other.request().post('/own').send({})
  expect([status, body.data]).toEqual([200, 'added'])
  const { parameters } = other.document.paths['/own']?.post ?? {}
  expect(parameters?.map(({ name }) => name)).toEqual(['X-Own'])
})

it('authMatrix() distinguishes signed routes from public ones', async () => {
  const matrix = await app.authMatrix({ anonymous: null }, { unguarded: 'fail' })
  expect(matrix.rows.map(({ access }) => access['anonymous'])).toEqual(Array(4).fill('signature'))
})

it('the list of routes uses the same word for signed routes as authMatrix()', async () => {
  @Controller('more')
  class More {
    @Post('signed') @Webhook(stripeWebhooks('whsec_new')) signed() {}
    @Auth() @Post('both') @Webhook(stripeWebhooks('whsec_new')) both() {}
    @Post('open') open() {}
  }
  const routes = new App({ controllers: [More], logger: false }).getRouteTable()
  expect(routes.map((each) => rowOf(each).at(-1))).toEqual([
    'signature',
    'signature, protected',
    'public',
  ])
  expect(routes.map((each) => 'isSigned' in each)).toEqual([true, true, false])
})

it('the guard of a route runs before the signature is verified', async () => {
  @Controller('guarded')
  class Guarded {
    @Auth()
    @Post()
    @Webhook(stripeWebhooks('whsec_new'))
    handle() {
      return {}
    }
  }
  const guarded = await start({ controllers: [Guarded] })
  const response = await guarded.fetch('/guarded', { method: 'POST' })
  expect(await response.json()).toMatchObject({ status: 401, code: 'UNAUTHORIZED' })
  await guarded.close()
})

it('a middleware that reads the body of a webhook causes a 500 response', async () => {
  const parsed = await start({ middlewares: [express.json()], contract: 'off' } as AppOptions)
  parsed.clock.set(STANDARD_TIME * 1000)
  const response = await parsed.fetch('/hooks/standard', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...standardHeaders() },
    body: STANDARD_BODY,
  })
  expect(response.status).toBe(500)
  const facts = parsed.logs[0]?.facts as { err: Error } | undefined
  expect(String(facts?.err)).toContain('@Webhook needs the bytes')
  await parsed.close()
})

describe('the validation of webhooks at boot', () => {
  const problemsOf = (verifier: unknown) => {
    class Wrong {
      handle() {}
    }
    const descriptor = Object.getOwnPropertyDescriptor(Wrong.prototype, 'handle')
    for (const make of [Post(), Webhook(verifier as never)]) {
      const decorate = make as unknown as (...args: unknown[]) => void
      decorate(Wrong.prototype, 'handle', descriptor)
    }
    Controller('wrong')(Wrong)
    return bootProblems({ controllers: [Wrong] })
  }

  it.each<[string, unknown]>([
    ['no verifier', undefined],
    ['an unknown scheme', { scheme: 'x' }],
    ['an empty secret', stripeWebhooks('')],
    ['an empty list of secrets', githubWebhooks([])],
    [
      'a secret function that returns undefined',
      githubWebhooks(() => undefined as unknown as string),
    ],
    ['a secret that is not base64', standardWebhooks('whsec_***')],
    ['a secret of 23 bytes', standardWebhooks(Buffer.alloc(23).toString('base64'))],
    ['one empty secret of two', stripeWebhooks(['whsec_a', ''])],
    ['a secret that is not a text', githubWebhooks(7 as never)],
    ['an invalid tolerance', stripeWebhooks('s', { tolerance: 'soon' })],
  ])('refuses %s', async (_, verifier) => {
    const problems = await problemsOf(verifier)
    expect(problems.map(({ code }) => code)).toEqual(['E_OPTION_INVALID'])
    expect(problems[0]?.subject).toContain('Wrong.handle')
  })
})
