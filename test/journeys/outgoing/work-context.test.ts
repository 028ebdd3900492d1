import { Controller, defineControllers, Get, inject, Log, Outgoing } from 'blazon'
import { type Work, WorkContext } from 'blazon/plugin'
import { TestApp } from 'blazon/testing'
import { describe, expect, it, onTestFinished } from 'vitest'

const HOST = 'https://a.example/'
const TRACE = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`

/** Runs a function as an application's work outside of requests, and returns the headers of each of its calls. */
async function sentBy(run: (call: Outgoing, app: TestApp) => unknown, more: Partial<Work> = {}) {
  @Controller('run')
  class RunController {
    readonly #outgoing = inject(Outgoing)
    readonly #log = inject(Log)
    @Get() async run() {
      this.#log.info('in a request')
      await this.#outgoing(HOST, { method: 'POST' })
      return []
    }
  }
  const app = await TestApp.create({
    controllers: defineControllers(RunController),
    contract: 'off',
  })
  onTestFinished(() => app.close())
  const sent: Readonly<Record<string, string>>[] = []
  for (const method of ['GET', 'POST', 'QUERY']) {
    app.outgoing.answer(method, HOST, ({ headers }) => {
      sent.push(headers)
      return {}
    })
  }
  let keys = 0
  const work: Work = {
    facts: { job: 'j1' },
    headers: { 'x-request-id': 'r-of-sender', traceparent: TRACE },
    idempotencyKey: () => `key-${++keys}`,
    ...more,
  }
  await WorkContext.run(work, async () => run(app.get(Outgoing), app))
  return { sent, app }
}

describe('a call in a work context', () => {
  it('has the headers of the work, and a key if it is not safe to repeat', async () => {
    const { sent } = await sentBy(async (call) => {
      await call(HOST)
      await call(HOST, { method: 'QUERY', body: 'x' })
      await call(HOST, { method: 'POST' })
      await call(HOST, { method: 'post', body: 'x' })
    })
    for (const headers of sent) {
      expect(headers).toMatchObject({ 'x-request-id': 'r-of-sender', traceparent: TRACE })
    }
    const keys = sent.map((headers) => headers['idempotency-key'])
    expect(keys).toEqual([undefined, undefined, 'key-1', 'key-2'])
  })

  it('keeps the headers and the key that the application sets', async () => {
    const own = { 'x-request-id': 'own', 'idempotency-key': 'own-key' }
    const { sent } = await sentBy((call) => call(HOST, { method: 'POST', headers: own }))
    expect(sent).toMatchObject([{ ...own, traceparent: TRACE }])
  })

  it('has no headers of the work if its URL is public, but a key', async () => {
    const { sent } = await sentBy((call) => call(HOST, { method: 'POST', public: true }))
    expect(sent).toEqual([{ 'idempotency-key': 'key-1' }])
  })

  it('has no key if the work provides none', async () => {
    const { sent } = await sentBy((call) => call(HOST, { method: 'POST' }), {
      idempotencyKey: undefined as never,
    })
    expect(sent[0]).not.toHaveProperty('idempotency-key')
  })

  it('belongs to its request if the work sends a request to the application', async () => {
    const { sent, app } = await sentBy((_call, own) => own.fetch('/run'))
    expect(sent[0]?.['x-request-id']).toMatch(/^[\w-]{36}$/)
    expect(sent[0]?.['traceparent']).not.toBe(TRACE)
    expect(sent[0]).not.toHaveProperty('idempotency-key')
    expect(app.logs.find(({ message }) => message === 'in a request')?.facts).not.toHaveProperty(
      'job',
    )
  })
})

it('a log line in a work context has the facts of the work, which its own facts do not replace', async () => {
  const { app } = await sentBy((_call, own) => {
    own.get(Log).info({ job: 'j2', order: 1 }, 'Works')
  })
  expect(app.logs).toEqual([
    { level: 'info', message: 'Works', facts: { job: 'j1', job_: 'j2', order: 1 } },
  ])
})
