import { type JobRun, Jobs, type WebhookEndpoint, WebhookEndpoints, Webhooks } from 'blazon/jobs'
import { TestApp } from 'blazon/testing'
import { expect, it, onTestFinished } from 'vitest'

const URL = 'https://hooks.acme.example/in'
const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`

const HERE = { endpoint: { url: URL, secrets: SECRET } }

/** Webhooks over jobs and an endpoint of the test. */
async function open({ endpoint }: { endpoint: WebhookEndpoint | undefined } = HERE) {
  const sent: unknown[][] = []
  const listed: object[] = []
  const asked: string[] = []
  const jobs = {
    send: async (...args: unknown[]) => {
      sent.push(args)
      return 'j-1'
    },
    list: async (filter: object) => {
      listed.push(filter)
      const job = { id: 'j-1', name: 'webhook', tenant: 'acme', state: 'done', attempts: 1 }
      return [{ ...job, input: { endpoint: 'e-1', type: 'order.paid', body: 'secret' } }]
    },
  }
  const find = async (id: string) => {
    asked.push(id)
    return endpoint
  }
  const app = await TestApp.create({
    providers: [
      Webhooks,
      { token: Jobs, useValue: jobs as never },
      { token: WebhookEndpoints, useValue: find },
    ],
  })
  onTestFinished(() => app.close())
  const webhooks = app.get(Webhooks)
  const deliver = (signal = new AbortController().signal) => {
    const input = { endpoint: 'e-1', type: 'order.paid', body: '{"a":1}' }
    return webhooks.deliver({ id: 'j-1', input, signal } as unknown as JobRun<typeof input>)
  }
  return { app, webhooks, deliver, sent, listed, asked }
}

it('an event is sent as a job, with the fields of its body in a fixed order', async () => {
  const { app, webhooks, sent } = await open()
  app.clock.set('2030-01-01T00:00:00Z')
  const event = { data: { b: 1, a: [null] }, type: 'order.paid' }
  expect(await webhooks.send('e-1', event, { priority: 7 })).toBe('j-1')
  const body =
    '{"type":"order.paid","timestamp":"2030-01-01T00:00:00.000Z","data":{"b":1,"a":[null]}}'
  expect(sent[0]?.slice(1)).toEqual([
    { endpoint: 'e-1', type: 'order.paid', body },
    { priority: 7 },
  ])
  expect(sent[0]?.[0]).toMatchObject({
    ...{ name: 'webhook', retries: 20, retryDelay: 10, concurrency: 4, keep: 30 * 86_400 },
  })
})

it('deliveries are listed without their bodies, at most fifty by default', async () => {
  const { webhooks, listed } = await open()
  expect(await webhooks.deliveries()).toEqual([
    { id: 'j-1', state: 'done', attempts: 1, endpoint: 'e-1', type: 'order.paid' },
  ])
  await webhooks.deliveries(3)
  expect(listed).toEqual([
    { name: 'webhook', limit: 50 },
    { name: 'webhook', limit: 3 },
  ])
})

it('a delivery is a signed POST request, which follows no redirect', async () => {
  const { app, deliver, asked } = await open()
  app.clock.set('2030-01-01T00:00:00Z')
  const calls: [Record<string, string>, string][] = []
  app.outgoing.answer('POST', URL, ({ headers, body }) => {
    calls.push([Object.fromEntries(new Headers(headers as never)), String(body)])
    return { status: 202, body: 'ignored' }
  })
  await deliver()
  expect(asked).toEqual(['e-1'])
  expect(calls).toEqual([
    [
      expect.objectContaining({
        ...{ 'content-type': 'application/json', 'webhook-id': 'j-1' },
        ...{
          'webhook-timestamp': '1893456000',
          'webhook-signature': expect.stringMatching(/^v1,/),
        },
      }),
      '{"a":1}',
    ],
  ])
})

it.each([
  [200, 'done'],
  [299, 'done'],
  [302, 'Error: The endpoint responded with 302.'],
  [404, 'Error: The endpoint responded with 404.'],
  [410, 'DeadJobError: The endpoint no longer accepts events (410).'],
  [503, 'Error: The endpoint responded with 503.'],
])('a delivery with the status %i ends with: %s', async (status, outcome) => {
  const { app, deliver } = await open()
  app.outgoing.answer('POST', URL, { status, headers: { location: 'https://other.example/' } })
  expect(await deliver().then(() => 'done', String)).toBe(outcome)
})

it('a delivery to an endpoint that was removed is not attempted again', async () => {
  const { app, deliver } = await open({ endpoint: undefined })
  expect(await deliver().catch(String)).toBe('DeadJobError: The endpoint no longer exists.')
  expect(app.outgoing.calls).toEqual([])
})

it('a delivery is refused for an address of an internal network', async () => {
  const { deliver, app } = await open({
    endpoint: { url: 'http://169.254.169.254/in', secrets: SECRET },
  })
  await expect(deliver()).rejects.toThrow(/public/)
  expect(app.outgoing.calls).toEqual([])
})

it('a delivery ends when its job ends', async () => {
  const { deliver } = await open()
  await expect(deliver(AbortSignal.abort(new Error('the job timed out')))).rejects.toThrow(
    'the job timed out',
  )
})
