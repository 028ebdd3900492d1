import {
  Body,
  Controller,
  DatabaseLink,
  defineControllers,
  inject,
  Post,
  type Req,
  runWithTenant,
  signWebhook,
  standardWebhooks,
  Tenant,
  Webhook,
} from 'blazon'
import { jobs, type WebhookEndpoint, WebhookEndpoints, Webhooks } from 'blazon/jobs'
import { Database, postgres, tenantTable } from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { startPgliteFromTemplate } from '../../pglite-template.js'
import { describeJobs } from './support.js'

startPgliteFromTemplate()

const SECRETS = [1, 2].map((n) => `whsec_${Buffer.alloc(32, n).toString('base64')}`)
const URL = 'https://hooks.acme.example/in'
const received: unknown[] = []

const Event = z.object({ type: z.string(), timestamp: z.iso.datetime(), data: z.unknown() })

@Controller('receiver')
class Receiver {
  @Post()
  @Body(Event)
  @Webhook(standardWebhooks(SECRETS[1] as string))
  receive({ body }: Req<{ body: typeof Event }>) {
    received.push(body)
  }
}

@Tenant()
@Controller('orders')
class Orders {
  readonly webhooks = inject(Webhooks)
  readonly db = inject(Database)

  @Post('', { body: z.object({ fail: z.boolean() }) })
  async pay({ body }: { body: { fail: boolean } }) {
    const rows = await this.db.sql<{ id: string }>`select id::text from endpoints`
    for (const { id } of rows) await this.webhooks.send(id, { type: 'order.paid', data: { n: 7 } })
    if (body.fail) throw new Error('as wanted')
  }
}

const endpoints = {
  token: WebhookEndpoints,
  inject: [Database],
  useFactory: (db: Database) => async (id: string) => {
    const text = 'select url, secrets from endpoints where id = $1'
    const { rows } = await db.query(text, [Number(id)])
    return rows[0] as WebhookEndpoint | undefined
  },
}

describeJobs('webhooks sent by jobs', () => {
  let app: TestApp
  beforeEach(async () => {
    received.length = 0
    app = await TestApp.create({
      controllers: defineControllers(Orders, Receiver),
      providers: [endpoints],
      contract: 'off',
      tenant: {},
      plugins: [postgres({ embedded: 'memory' }), jobs({ workers: [Webhooks] })],
    })
    const columns = ['url text not null', 'secrets text[] not null']
    await app.get(DatabaseLink).run(tenantTable('endpoints', { columns }))
    await runWithTenant('acme', () =>
      app
        .get(Database)
        .query('insert into endpoints (url, secrets) values ($1, $2)', [URL, SECRETS]),
    )
  })
  afterEach(() => app.close())

  const pay = (fail = false) =>
    app.request().post('/orders').set('x-tenant-id', 'acme').send({ fail })
  const log = (tenant = 'acme') => runWithTenant(tenant, () => app.get(Webhooks).deliveries())
  const answer = (status: number) => app.outgoing.answer('POST', URL, { status })

  it('deliver an event that standardWebhooks() accepts, signed with each secret', async () => {
    const ids: unknown[] = []
    app.outgoing.answer('POST', URL, async ({ headers, body }) => {
      const sent = new Headers(headers as never)
      ids.push(sent.get('webhook-id'))
      expect(sent.get('webhook-signature')?.split(' ')).toHaveLength(2)
      const given = Object.fromEntries(sent)
      delete given['content-length']
      const { status } = await app.fetch('/receiver', {
        method: 'POST',
        headers: given,
        body: String(body),
      })
      return { status }
    })
    expect((await pay()).status).toBe(204)
    await app.jobs.drain()
    expect(received).toEqual([
      { type: 'order.paid', timestamp: expect.any(String), data: { n: 7 } },
    ])
    const [delivery] = await log()
    expect(delivery).toMatchObject({
      type: 'order.paid',
      endpoint: '1',
      state: 'done',
      attempts: 1,
    })
    expect(ids).toEqual([delivery?.id])
  })

  it('deliver nothing for a failed request, or to an endpoint of another tenant', async () => {
    expect((await pay(true)).status).toBe(500)
    expect(await app.jobs.drain()).toEqual([])
    await runWithTenant('globex', () => app.get(Webhooks).send('1', { type: 'x', data: null }))
    await expect(app.jobs.drain()).rejects.toThrow('The endpoint no longer exists.')
    expect(app.outgoing.calls).toEqual([])
    expect(await log()).toEqual([])
    expect(await log('globex')).toMatchObject([{ state: 'dead', attempts: 1 }])
  })

  it('retry a failed delivery, and record the reason of the last failure', async () => {
    answer(503)
    await pay()
    await app.jobs.drain({ failures: 'keep' })
    expect(await log()).toMatchObject([
      { state: 'waiting', attempts: 1, reason: 'The endpoint responded with 503.' },
    ])
    answer(302)
    await app.clock.advance('1m')
    await app.jobs.drain({ failures: 'keep' })
    expect(await log()).toMatchObject([{ reason: 'The endpoint responded with 302.' }])
    answer(204)
    await app.clock.advance('1h')
    await app.jobs.drain()
    expect(await log()).toMatchObject([{ state: 'done', attempts: 3 }])
    expect(app.outgoing.calls.map(({ url }) => url)).toEqual([URL, URL, URL])
  })

  it('are not retried after a 410 response', async () => {
    answer(410)
    await pay()
    await app.jobs.drain({ failures: 'keep' })
    expect(await log()).toMatchObject([{ state: 'dead', attempts: 1 }])
  })

  it('are not sent to an address of the internal network', async () => {
    const inside = 'http://169.254.169.254/latest'
    await runWithTenant('acme', () =>
      app.get(Database).query(`update endpoints set url = '${inside}'`),
    )
    await pay()
    await app.jobs.drain({ failures: 'keep' })
    expect((await log())[0]?.reason).toMatch(/public/)
    expect(app.outgoing.calls).toEqual([])
  })
})

it('signWebhook() matches the example of Standard Webhooks, and refuses unsafe secrets and ids', async () => {
  const signed = await signWebhook(
    {
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      nowMs: 1_614_265_330_000,
      body: '{"test": 2432232314}',
    },
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  )
  expect(signed['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
  const unsigned = { id: 'a', nowMs: 0, body: '' }
  const secrets = [1, 2].map((byte) => Buffer.alloc(24, byte).toString('base64'))
  const late = { ...unsigned, nowMs: 1999 }
  const both = await signWebhook(late, secrets)
  expect(both).toMatchObject({ 'webhook-id': 'a', 'webhook-timestamp': '1' })
  const single = await Promise.all(secrets.map((secret) => signWebhook(late, secret)))
  expect(both['webhook-signature']).toBe(single.map((each) => each['webhook-signature']).join(' '))
  await expect(signWebhook(unsigned, [...secrets, 'short'])).rejects.toThrow('24 bytes')
  await expect(signWebhook(unsigned, [])).rejects.toThrow('24 bytes')
  await expect(signWebhook(unsigned, 'short')).rejects.toThrow('24 bytes')
  await expect(signWebhook({ ...unsigned, id: 'a.b' }, SECRETS)).rejects.toThrow('dot')
})
