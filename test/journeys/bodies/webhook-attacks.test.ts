import { createHmac } from 'node:crypto'
import {
  Cache,
  Controller,
  Get,
  githubWebhooks,
  Post,
  type Request,
  type Response,
  standardWebhooks,
  stripeWebhooks,
  Webhook,
  type WebhookReplays,
  type WebhookScheme,
  type WebhookVerifier,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { webhookCheck } from '../../../src/features/webhooks/webhook-check.js'
import { bootProblems } from '../../support.js'
import { gate } from '../gate.js'

const TIME = 1_700_000_000
const [OLD, NEW] = ['old', 'new'].map(
  (name) => `whsec_${Buffer.from(name.repeat(12)).toString('base64')}`,
)
const SECRETS = [NEW, OLD] as [string, string]

const running: TestApp[] = []
afterEach(() => Promise.all(running.splice(0).map((app) => app.close())))

type Handler = (req: Request, res: Response) => unknown

/** An application with one webhook. */
async function start(verifier: WebhookScheme | WebhookVerifier, handle: Handler = () => ({})) {
  @Controller('hook')
  class HookController {
    @Post()
    @Webhook(verifier)
    handle(req: Request, res: Response) {
      return handle(req, res)
    }
  }
  const app = await TestApp.create({ controllers: [HookController] })
  running.push(app)
  app.clock.set(TIME * 1000)
  return app
}

function post(app: TestApp, body: string, headers: Record<string, string>, signal?: AbortSignal) {
  const all = { 'Content-Type': 'application/json', ...headers }
  return app.fetch('/hook', { method: 'POST', headers: all, body, ...(signal && { signal }) })
}

function standardHeaders(body: string, secrets: readonly string[], given: object = {}) {
  const { id = 'msg_1', time = TIME } = given as { id?: string; time?: number }
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(6), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64')}`
  })
  const signature = signatures.join(' ')
  return { 'webhook-id': id, 'webhook-timestamp': String(time), 'webhook-signature': signature }
}

function stripeHeaders(body: string, secrets: readonly string[], time = TIME) {
  const signatures = secrets.map(
    (secret) => `v1=${createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')}`,
  )
  return { 'Stripe-Signature': [`t=${time}`, ...signatures].join(',') }
}

describe('a replayed webhook', () => {
  it('is refused even if it keeps only one of the two signatures of a secret rotation', async () => {
    const standard = await start(standardWebhooks(SECRETS))
    const [both, first, second] = [SECRETS, [NEW], [OLD]].map((secrets) =>
      standardHeaders('{}', secrets as string[]),
    )
    for (const [headers, status] of [
      [both, 200],
      [first, 409],
      [second, 409],
    ] as const) {
      expect((await post(standard, '{}', headers as Record<string, string>)).status).toBe(status)
    }
    const stripe = await start(stripeWebhooks(SECRETS))
    expect((await post(stripe, '{}', stripeHeaders('{}', SECRETS))).status).toBe(200)
    expect((await post(stripe, '{}', stripeHeaders('{}', [OLD as string]))).status).toBe(409)
  })

  it('is refused with 409 until the last millisecond of its validity, and then with 401', async () => {
    const app = await start(stripeWebhooks('secret'))
    const headers = stripeHeaders('{}', ['secret'], TIME + 300)
    expect((await post(app, '{}', headers)).status).toBe(200)
    app.clock.set((TIME + 600) * 1000)
    expect((await post(app, '{}', headers)).status).toBe(409)
    app.clock.set((TIME + 600) * 1000 + 1)
    expect((await post(app, '{}', headers)).status).toBe(401)
  })

  it('is refused if characters were moved between its id and its body', async () => {
    const bodies: unknown[] = []
    const app = await start(standardWebhooks(SECRETS), ({ body }) => ({
      bodies: bodies.push(body),
    }))
    // The sender signs text of a stranger, who sends a part of it later as a delivery of its own.
    const signed = standardHeaders(`"a.${TIME + 9000}.1`, [NEW as string])
    const moved = {
      ...signed,
      'webhook-id': `msg_1.${TIME}."a`,
      'webhook-timestamp': String(TIME + 9000),
    }
    app.clock.set((TIME + 9000) * 1000)
    expect((await post(app, '1', moved)).status).toBe(401)
    expect(bodies).toEqual([])
  })

  it('is refused if its X-GitHub-Delivery header is not a GitHub id', async () => {
    const app = await start(githubWebhooks('secret'))
    const signature = createHmac('sha256', 'secret').update('{}').digest('hex')
    const headers = (id: string) => ({
      'X-Hub-Signature-256': `sha256=${signature}`,
      'X-GitHub-Delivery': id,
    })
    const guid = '72d3162e-cc78-11e3-81ab-4c9367dc0958'
    for (const id of [guid, 'x'.repeat(100)]) {
      expect((await post(app, '{}', headers(id))).status).toBe(200)
    }
    for (const id of [
      '',
      'x'.repeat(101),
      'x'.repeat(5000),
      `${guid} ${guid}`,
      `${guid}, ${guid}`,
    ]) {
      expect((await post(app, '{}', headers(id))).status).toBe(401)
    }
  })
})

describe('a failed webhook delivery', () => {
  /** Replays whose claim waits until the test lets it. */
  function slowReplays() {
    const released: string[] = []
    let enter!: () => void
    let leave!: () => void
    const entered = new Promise<void>((resolve) => {
      enter = resolve
    })
    const left = new Promise<void>((resolve) => {
      leave = resolve
    })
    const replays: WebhookReplays = {
      async claim() {
        enter()
        await left
        return true
      },
      release: (key) => void released.push(key),
    }
    return { replays, released, entered, leave }
  }

  it('is released if its sender disconnects while it is being claimed', async () => {
    const { replays, released, entered, leave } = slowReplays()
    const app = await start(stripeWebhooks('secret', { replays }))
    const gone = new AbortController()
    const sent = post(app, '{}', stripeHeaders('{}', ['secret']), gone.signal)
    sent.catch(() => {})
    await entered
    gone.abort()
    await expect(sent).rejects.toThrow()
    // The server notices a lost connection some turns later.
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
    leave()
    await expect.poll(() => released).toHaveLength(1)
  })

  it('is released if its sender disconnects while its handler works', async () => {
    const released: string[] = []
    const replays = { claim: () => true, release: (key: string) => void released.push(key) }
    const begun = gate()
    const app = await start(stripeWebhooks('secret', { replays }), () => {
      begun.open()
      return new Promise(() => {})
    })
    const gone = new AbortController()
    const sent = post(app, '{}', stripeHeaders('{}', ['secret']), gone.signal)
    sent.catch(() => {})
    await begun.opened
    expect(released).toEqual([])
    gone.abort()
    await expect.poll(() => released).toHaveLength(1)
  })

  it('is released after a redirect, which senders count as a failure', async () => {
    let status = 307
    const app = await start(stripeWebhooks('secret'), (_, res) => {
      res.status(status).set('Location', '/elsewhere').end()
    })
    const headers = stripeHeaders('{}', ['secret'])
    const send = () =>
      app.fetch('/hook', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: '{}',
        redirect: 'manual',
      })
    expect((await send()).status).toBe(307)
    status = 204
    expect([(await send()).status, (await send()).status]).toEqual([204, 409])
  })

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('the store is away')
      },
    ],
    ['rejects', () => Promise.reject(new Error('the store is away'))],
  ])('results in the same response even if its release %s', async (_, release) => {
    const calls: unknown[] = []
    const replays: WebhookReplays = {
      claim: () => true,
      release: (key) => {
        calls.push(key)
        return release()
      },
    }
    const app = await start(stripeWebhooks('secret', { replays }), () => {
      throw new Error('down')
    })
    const response = await post(app, '{}', stripeHeaders('{}', ['secret']))
    await response.text()
    expect(response.status).toBe(500)
    await expect.poll(() => calls).toHaveLength(1)
  })

  it('results in a 500 response if its claim fails', async () => {
    const replays = { claim: () => Promise.reject(new Error('the store is away')), release() {} }
    let isReached = false
    const app = await start(stripeWebhooks('secret', { replays }), () => {
      isReached = true
    })
    const { status } = await post(app, '{}', stripeHeaders('{}', ['secret']))
    expect([status, isReached]).toEqual([500, false])
  })
})

it('a refused delivery is told the reason, and how to sign', async () => {
  const app = await start(stripeWebhooks('secret', { tolerance: '1m' }))
  const refusal = async (headers: Record<string, string>) => {
    const response = await post(app, '{}', headers)
    const { code, message } = (await response.json()) as { code: string; message: string }
    return [response.status, response.headers.get('www-authenticate'), code, message]
  }
  expect(await refusal({})).toEqual([
    ...[401, 'Webhook', 'WEBHOOK_UNVERIFIED'],
    'The signature of the webhook is missing or invalid',
  ])
  for (const time of [TIME - 61, TIME + 61]) {
    expect(await refusal(stripeHeaders('{}', ['secret'], time))).toEqual([
      ...[401, 'Webhook', 'WEBHOOK_UNVERIFIED'],
      'The webhook timestamp is not within the tolerance',
    ])
  }
  const headers = stripeHeaders('{}', ['secret'], TIME + 60)
  expect((await post(app, '{}', headers)).status).toBe(200)
  expect(await refusal(headers)).toEqual([
    ...[409, null, 'WEBHOOK_REPLAYED', 'This webhook delivery has already been handled'],
  ])
})

it('deliveries to two routes are recorded separately in one store', async () => {
  const keys = new Set<string>()
  const replays: WebhookReplays = {
    claim: (key) => !keys.has(key) && keys.add(key) === keys,
    release: (key) => void keys.delete(key),
  }
  const scheme = stripeWebhooks('secret', { replays })
  @Controller()
  class TwoController {
    @Post('hook') @Webhook(scheme) one() {}
    @Post('other') @Webhook(scheme) other() {}
  }
  const app = await TestApp.create({ controllers: [TwoController] })
  running.push(app)
  app.clock.set(TIME * 1000)
  const headers = { 'Content-Type': 'application/json', ...stripeHeaders('{}', ['secret']) }
  const send = async (path: string) =>
    (await app.fetch(path, { method: 'POST', headers, body: '{}' })).status
  expect([await send('/hook'), await send('/other'), await send('/hook')]).toEqual([204, 204, 409])
  expect([...keys].map((key) => key.split(' ')[0])).toEqual([
    'TwoController.one',
    'TwoController.other',
  ])
})

it('a secret of Standard Webhooks needs no prefix', async () => {
  const app = await start(standardWebhooks((NEW as string).slice('whsec_'.length)))
  expect((await post(app, '{}', standardHeaders('{}', [NEW as string]))).status).toBe(200)
})

it('the memory of a route contains its last 10,000 deliveries', async () => {
  const route = { name: 'Hook.handle', webhook: githubWebhooks('secret') }
  const check = await webhookCheck(route, { clock: { now: () => 0 } } as never)
  const body = Buffer.from('{}')
  const signature = createHmac('sha256', 'secret').update(body).digest('hex')
  const isRefused = async (n: number) => {
    const headers = { 'x-hub-signature-256': `sha256=${signature}`, 'x-github-delivery': `${n}` }
    const res = { closed: false, once() {} }
    return (await check({ headers } as never, res as never, body)) !== null
  }
  for (let n = 0; n < 10_000; n++) expect(await isRefused(n)).toBe(false)
  expect(await isRefused(0)).toBe(true)
  expect(await isRefused(10_000)).toBe(false)
  expect(await isRefused(1)).toBe(true)
  expect(await isRefused(0)).toBe(false)
})

it.each(['1e9', 'NaN', '-1700000000', '1700000000.5', '+1700000000', ' ', '0x6553f100', '٣'])(
  'a webhook with the timestamp %s is refused',
  async (time) => {
    const app = await start(stripeWebhooks('secret'))
    const signature = createHmac('sha256', 'secret').update(`${time}.{}`).digest('hex')
    const header = Buffer.from(`t=${time},v1=${signature}`).toString('latin1')
    expect((await post(app, '{}', { 'Stripe-Signature': header })).status).toBe(401)
  },
)

it('a custom verifier can have a property `scheme`', async () => {
  const own = { scheme: 'stripe', verify: () => true }
  const app = await start(own as WebhookVerifier)
  expect((await post(app, '{}', {})).status).toBe(200)
  expect(app.document.paths['/hook']?.post?.responses).not.toHaveProperty('409')
  const other = await start({ scheme: 'mine', verify: () => false } as WebhookVerifier)
  expect((await post(other, '{}', {})).status).toBe(401)
})

describe('the validation of webhooks at boot', () => {
  const problemsOf = (verifier: WebhookScheme) => {
    @Controller('hook')
    class HookController {
      @Post()
      @Webhook(verifier)
      handle() {
        return {}
      }
    }
    return bootProblems({ controllers: [HookController] })
  }

  it('reports a secret function that throws, and a secret that is only whitespace', async () => {
    const failing = () => {
      throw new Error('STRIPE_SECRET is not set')
    }
    const [thrown] = await problemsOf(stripeWebhooks(failing))
    expect(thrown).toMatchObject({ code: 'E_OPTION_INVALID', subject: 'HookController.handle' })
    expect(thrown?.cause).toContain('STRIPE_SECRET is not set')
    expect((await problemsOf(githubWebhooks(' \n')))[0]?.cause).toContain(
      'secret of its @Webhook is missing',
    )
  })

  it.each<[string, WebhookScheme, string]>([
    [
      'standard',
      standardWebhooks('short'),
      'Pass the secret of the sender: at least 24 bytes in base64, with or without whsec_.',
    ],
    [
      'another scheme',
      stripeWebhooks(''),
      'Pass the secret of the sender. If it comes from the environment, check that the variable is set.',
    ],
  ])('contains the remedy for an invalid secret of the scheme: %s', async (_, scheme, remedy) => {
    expect(await problemsOf(scheme)).toMatchObject([{ code: 'E_OPTION_INVALID', remedy }])
  })

  it('refuses @Cache, which would send the response to one signed request to another request', async () => {
    @Controller('hook')
    class HookController {
      @Get()
      @Cache({ ttl: 60, key: () => 'same' })
      @Webhook(stripeWebhooks('secret'))
      handle() {
        return {}
      }
    }
    const problems = await bootProblems({ controllers: [HookController] })
    expect(problems).toMatchObject([{ code: 'E_CACHE_BODY', subject: 'HookController.handle' }])
  })
})
