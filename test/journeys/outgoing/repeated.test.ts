import type { RequestListener } from 'node:http'
import { Readable } from 'node:stream'
import { App, type AppOptions, Health, Metrics, Outgoing, type OutgoingInit } from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { systemClock } from '../../../src/app/system-clock.js'
import type { Clock, Timer } from '../../../src/contracts/clock.js'
import { Caller } from '../../../src/features/outgoing/caller.js'
import type { LookUp } from '../../../src/features/outgoing/public-hosts.js'
import { gate } from '../gate.js'
import { otherHost } from './other-host.js'

/** Waits before repeated calls are noted and take no time; the limits of calls do. */
function callerOf(
  settings: { retries?: boolean; circuit?: boolean; timeoutMs?: number },
  duringWait?: () => void,
  lookUp?: LookUp,
) {
  const waits: number[] = []
  let now = 0
  const clock: Clock = {
    ...systemClock,
    monotonic: () => now,
    setTimeout(run, ms): Timer {
      if (ms >= 20_000) return systemClock.setTimeout(run, ms)
      waits.push(ms)
      // A wait that is interrupted would never end by itself.
      setImmediate(duringWait ?? run)
      return { cancel() {} }
    },
  }
  const all = { retries: false, circuit: false, timeoutMs: 30_000, ...settings }
  const own = { clock, logger: { warn() {} }, settings: all, credentials: [], answer: null }
  const parts = lookUp === undefined ? own : { ...own, lookUp }
  const caller = new Caller(parts, () => ({
    onCall: null,
    needs: { stacks: false, bodies: false },
    restOf: () => null,
    addMetric() {},
  }))
  const call = (input: string | Request, init: OutgoingInit = {}) =>
    caller.call({ input, init, stack: undefined, req: undefined })
  const pass = (ms: number) => {
    now += ms
  }
  return { call, caller, waits, pass }
}

/** A host that fails some times, and then answers. */
async function failingHost(failures: number, fail: RequestListener) {
  let left = failures
  return await otherHost((req, res) => {
    if (left-- > 0) return fail(req, res)
    res.end('fine')
  })
}
const unavailable: RequestListener = (_req, res) => void res.writeHead(503).end('busy')

describe('a call with retries', () => {
  it.each([
    [429, 3],
    [502, 3],
    [503, 3],
    [504, 3],
    [500, 1],
    [404, 1],
  ])('is answered with status %i and sent %i times in total', async (status, times) => {
    const host = await otherHost((_req, res) => void res.writeHead(status).end('x'))
    const { call } = callerOf({ retries: true })
    const response = await call(host.url)
    expect([response.status, await response.text()]).toEqual([status, 'x'])
    expect(host.got).toHaveLength(times)
  })

  it('returns the response of the last attempt after connection failures', async () => {
    const host = await failingHost(2, (req) => void req.socket.destroy())
    const { call } = callerOf({ retries: true })
    expect(await (await call(host.url)).text()).toBe('fine')
    expect(host.got).toHaveLength(3)
  })

  it.each<[string, OutgoingInit, number]>([
    ['POST', { method: 'POST', body: 'x' }, 1],
    ['PUT', { method: 'PUT', body: 'x' }, 1],
    ['DELETE', { method: 'DELETE' }, 1],
    ['OPTIONS', { method: 'OPTIONS' }, 3],
    ['POST with a key', { method: 'POST', body: 'x', headers: { 'Idempotency-Key': '1' } }, 3],
  ])('is sent only once unless it is safe to repeat: %s', async (_name, init, times) => {
    const host = await otherHost(unavailable)
    await callerOf({ retries: true }).call(host.url, init)
    expect(host.got).toHaveLength(times)
    for (const { body } of host.got) expect(body).toBe(init.body ?? '')
  })

  it('is not repeated if its body is a stream, because the stream has been read', async () => {
    const host = await otherHost(unavailable)
    const headers = { 'idempotency-key': '1' }
    const body = new Blob(['x']).stream()
    const init = { method: 'POST', headers, body, duplex: 'half' } as OutgoingInit
    await callerOf({ retries: true }).call(host.url, init)
    expect(host.got).toHaveLength(1)
  })

  it('is repeated after the time in Retry-After plus a random time', async () => {
    const host = await failingHost(
      1,
      (_req, res) => void res.writeHead(503, { 'retry-after': '3' }).end(),
    )
    const { call, waits } = callerOf({ retries: true })
    expect(await (await call(host.url)).text()).toBe('fine')
    expect(waits).toEqual([expect.any(Number)])
    expect(waits[0]).toBeGreaterThanOrEqual(3000)
    expect(waits[0]).toBeLessThan(3200)
  })

  it('is not repeated if the time in Retry-After exceeds the time limit of the call', async () => {
    for (const after of ['60', new Date(Date.now() + 90_000).toUTCString()]) {
      const host = await otherHost(
        (_req, res) => void res.writeHead(503, { 'retry-after': after }).end(),
      )
      const { call, waits } = callerOf({ retries: true })
      expect((await call(host.url)).status).toBe(503)
      expect(host.got).toHaveLength(1)
      expect(waits).toEqual([])
    }
  })

  it('is not repeated by default, and can be tested with app.outgoing', async () => {
    const host = await otherHost(unavailable)
    await callerOf({}).call(host.url)
    expect(host.got).toHaveLength(1)
    await using app = await TestApp.create({ outgoing: { retries: true } })
    app.outgoing.answer('GET', 'https://a.example/', { status: 503 })
    expect((await app.get(Outgoing)('https://a.example/')).status).toBe(503)
    expect(app.outgoing.calls).toHaveLength(3)
  })

  it('has at most one retry per ten calls: 1,000 failing calls make at most 1,100 connections', async () => {
    const host = await otherHost(
      (_req, res) => void res.writeHead(503, { connection: 'close' }).end(),
    )
    const { call, pass } = callerOf({ retries: true })
    for (let i = 0; i < 20; i++) {
      await Promise.all(Array.from({ length: 50 }, async () => (await call(host.url)).text()))
    }
    expect(host.got.length).toBeGreaterThan(1000)
    expect(host.got.length).toBeLessThanOrEqual(1100)
    expect(host.connections).toBeLessThanOrEqual(1100)
    // Ten of the next minute.
    pass(60_000)
    const before = host.got.length
    for (let i = 0; i < 8; i++) await call(host.url)
    expect(host.got.length - before).toBe(8 + 10)
  })
})

describe('a retry', () => {
  const key = { 'Idempotency-Key': '1' }
  const asked = (url: string, init: RequestInit) => new Request(url, init)

  it.each<[string, (url: string) => [string | Request, OutgoingInit?], number]>([
    ['HEAD', (url) => [url, { method: 'HEAD' }], 3],
    ['QUERY', (url) => [url, { method: 'QUERY', body: 'x' }], 3],
    ['a method in lower case', (url) => [url, { method: 'get' }], 3],
    ['a Request with GET', (url) => [asked(url, {})], 3],
    ['a Request with POST', (url) => [asked(url, { method: 'POST' })], 1],
    [
      'a Request with DELETE and a key',
      (url) => [asked(url, { method: 'DELETE', headers: key })],
      3,
    ],
    [
      'a Request with a body, which can be read only once',
      (url) => [asked(url, { method: 'POST', headers: key, body: 'x' })],
      1,
    ],
    [
      'an async iterable as the body',
      (url) => {
        const body = Readable.from(['x']) as never
        return [url, { method: 'POST', headers: key, body, duplex: 'half' } as OutgoingInit]
      },
      1,
    ],
  ])('depends on the method and the body: %s', async (_, callOf, times) => {
    const host = await otherHost(unavailable)
    await callerOf({ retries: true }).call(...callOf(host.url))
    expect(host.got).toHaveLength(times)
  })

  it.each<[string, () => string | null, number]>([
    ['a number of seconds', () => '3', 3000],
    ['nothing', () => null, 0],
    ['no time', () => 'soon', 0],
    ['a time in the past', () => new Date(Date.now() - 60_000).toUTCString(), 0],
  ])(
    'is sent after a random time that doubles, and the time in Retry-After: %s',
    async (_, afterOf, ms) => {
      const random = vi.spyOn(Math, 'random').mockReturnValue(0.5)
      onTestFinished(() => void random.mockRestore())
      const after = afterOf()
      const headers = after === null ? {} : { 'retry-after': after }
      const host = await failingHost(2, (_req, res) => void res.writeHead(503, headers).end())
      const { call, waits } = callerOf({ retries: true })
      expect((await call(host.url)).status).toBe(200)
      expect(waits).toEqual([ms + 100, ms + 200])
    },
  )

  it('is sent after the time of a date in Retry-After', async () => {
    const after = new Date(Date.now() + 8000).toUTCString()
    const headers = { 'retry-after': after }
    const host = await failingHost(1, (_req, res) => void res.writeHead(503, headers).end())
    const { call, waits } = callerOf({ retries: true })
    await call(host.url)
    expect(waits).toHaveLength(1)
    expect(waits[0]).toBeGreaterThan(1000)
    expect(waits[0]).toBeLessThan(8200)
  })

  it('ends the response before it, even if its body is still arriving', async () => {
    const closed = gate()
    const host = await failingHost(1, (_req, res) => {
      res.once('close', closed.open)
      res.writeHead(503).write('begin')
    })
    const { call } = callerOf({ retries: true })
    expect(await (await call(host.url)).text()).toBe('fine')
    await closed.opened
  })

  it('does not follow if the call is canceled during the wait', async () => {
    const host = await otherHost(unavailable)
    const controller = new AbortController()
    const { call } = callerOf({ retries: true }, () => controller.abort(new Error('enough')))
    await expect(call(host.url, { signal: controller.signal })).rejects.toThrow('enough')
    expect(host.got).toHaveLength(1)
  })

  it('does not follow a refusal of the URL, which does not count as a failure of its host', async () => {
    let lookUps = 0
    const lookUp = async () => {
      lookUps++
      return [{ address: '10.0.0.1', family: 4 }]
    }
    const { call } = callerOf({ retries: true, circuit: true }, undefined, lookUp)
    for (let i = 0; i < 7; i++) {
      const sent = call('http://inside.example/', { public: true })
      await expect(sent).rejects.toMatchObject({ code: 'URL_NOT_PUBLIC' })
    }
    expect(lookUps).toBe(7)
  })
})
describe('the circuit of a host', () => {
  it('opens after five failures, allows one call after ten seconds, and then closes', async () => {
    const held = gate()
    let answer: RequestListener = unavailable
    const host = await otherHost((req, res) => answer(req, res))
    const { call, caller, pass } = callerOf({ circuit: true })
    for (let i = 0; i < 5; i++) expect((await call(host.url)).status).toBe(503)
    await expect(call(host.url)).rejects.toMatchObject({
      status: 503,
      code: 'CIRCUIT_OPEN',
      headers: { 'Retry-After': '10' },
    })
    expect(caller.openCircuits()).toEqual([new URL(host.url).host])
    expect(host.got).toHaveLength(5)
    pass(10_000)
    answer = async (_req, res) => {
      await held.opened
      res.end('fine')
    }
    const trial = call(host.url)
    await expect(call(host.url)).rejects.toMatchObject({ code: 'CIRCUIT_OPEN' })
    held.open()
    expect((await trial).status).toBe(200)
    expect(caller.openCircuits()).toEqual([])
    expect((await call(host.url)).status).toBe(200)
  })

  it.each([
    [500, true],
    [599, true],
    [499, false],
    [429, false],
  ])('depends on the status of the responses: %i', async (status, isOpen) => {
    const host = await otherHost((_req, res) => void res.writeHead(status).end())
    const { call, caller } = callerOf({ circuit: true })
    for (let i = 0; i < 5; i++) await call(host.url)
    expect(caller.openCircuits()).toHaveLength(isOpen ? 1 : 0)
  })

  it.each<[string, unknown, boolean]>([
    ['the time limit of the call', new DOMException('late', 'TimeoutError'), true],
    [
      'the time limit of the request',
      Object.assign(new Error(), { code: 'HANDLER_TIMEOUT' }),
      true,
    ],
    ['a client that has disconnected', Object.assign(new Error(), { code: 'CLIENT_GONE' }), false],
    ['nothing that is known', undefined, false],
  ])('depends on the reason for which calls were canceled: %s', async (_, reason, isOpen) => {
    let controller = new AbortController()
    const host = await otherHost(() => controller.abort(reason))
    const { call, caller } = callerOf({ circuit: true })
    for (let i = 0; i < 5; i++) {
      controller = new AbortController()
      await call(host.url, { signal: controller.signal }).catch(() => {})
    }
    expect(caller.openCircuits()).toHaveLength(isOpen ? 1 : 0)
  })

  it('tells the rest of its ten seconds in whole seconds, and begins again after a failure', async () => {
    const host = await otherHost(unavailable)
    const { call, pass } = callerOf({ circuit: true })
    const refusal = async () =>
      (await call(host.url).catch((error: { headers: object }) => error)) as {
        readonly headers: Readonly<Record<string, string>>
      }
    for (let i = 0; i < 5; i++) await call(host.url)
    const rest: (string | undefined)[] = []
    for (const ms of [0, 500, 9499]) {
      pass(ms)
      rest.push((await refusal()).headers['Retry-After'])
    }
    expect(rest).toEqual(['10', '10', '1'])
    pass(1)
    expect((await call(host.url)).status).toBe(503)
    pass(9999)
    expect((await refusal()).headers['Retry-After']).toBe('1')
    expect(host.got).toHaveLength(6)
  })

  it('is open for ten seconds after a failure, however long the failed call took', async () => {
    const { call, pass } = callerOf({ circuit: true })
    const host = await otherHost((req, res) => {
      pass(5000)
      unavailable(req, res)
    })
    for (let i = 0; i < 5; i++) await call(host.url)
    const headers = { 'Retry-After': '10' }
    await expect(call(host.url)).rejects.toMatchObject({ headers })
  })

  it('is off by default', async () => {
    const host = await otherHost(unavailable)
    const { call, caller } = callerOf({ retries: true })
    for (let i = 0; i < 9; i++) expect((await call(host.url)).status).toBe(503)
    expect(caller.openCircuits()).toEqual([])
  })

  it('does not affect other hosts, is reset by a success, and ignores aborted calls', async () => {
    const fine = await otherHost((_req, res) => void res.end())
    const host = await failingHost(4, unavailable)
    const { call } = callerOf({ circuit: true })
    for (let i = 0; i < 5; i++) await call(host.url)
    const signal = AbortSignal.abort(new Error('given up'))
    for (let i = 0; i < 9; i++) await call(host.url, { signal }).catch(() => {})
    expect((await call(host.url)).status).toBe(200)
    for (let i = 0; i < 6; i++) await call('http://127.0.0.1:1/').catch(() => {})
    await expect(call('http://127.0.0.1:1/')).rejects.toMatchObject({ code: 'CIRCUIT_OPEN' })
    expect((await call(fine.url)).status).toBe(200)
  })

  it('opens after five calls that exceed their time limit', async () => {
    const host = await otherHost(() => {})
    const { call } = callerOf({ circuit: true })
    for (let i = 0; i < 5; i++) {
      await expect(call(host.url, { timeout: '10ms' })).rejects.toMatchObject({
        name: 'TimeoutError',
      })
    }
    await expect(call(host.url)).rejects.toMatchObject({ code: 'CIRCUIT_OPEN' })
  })

  it('stays open even if users pass URLs of very many hosts', async () => {
    const { call, caller } = callerOf({ circuit: true })
    for (let i = 0; i < 5; i++) await call('http://127.0.0.1:1/').catch(() => {})
    for (let i = 0; i < 1001; i++) {
      const url = `http://10.0.${i >> 8}.${i & 255}/`
      await expect(call(url, { public: true })).rejects.toMatchObject({ code: 'URL_NOT_PUBLIC' })
    }
    await expect(call('http://127.0.0.1:1/')).rejects.toMatchObject({ code: 'CIRCUIT_OPEN' })
    expect(caller.openCircuits()).toEqual(['127.0.0.1:1'])
  })

  it('is not required for the call metrics, which are added once even after a call during startup', async () => {
    const early = async (outgoing: Outgoing) => {
      await outgoing('http://127.0.0.1:1/').catch(() => {})
      return 1
    }
    const Early = { token: 'early', inject: [Outgoing], useFactory: early }
    const app = await App.create({ providers: [Early], logger: false })
    onTestFinished(() => app.close())
    const names = app
      .get(Metrics)
      .list()
      .map(({ name }) => name)
    expect(names.filter((name) => name === 'outgoing_calls_total')).toHaveLength(1)
  })

  it('appears in the health checks and in the metrics for a limited number of hosts', async () => {
    const options: AppOptions = { outgoing: { circuit: true }, logger: false, providers: [] }
    const app = await App.create({
      ...options,
      providers: [{ token: 'used', useFactory: () => 1 }],
    })
    onTestFinished(() => app.close())
    const call = app.get(Outgoing)
    const now = vi.spyOn(performance, 'now')
    expect((await app.get(Health).check()).status).toBe('up')
    for (let i = 0; i < 5; i++) await call('http://127.0.0.1:1/x').catch(() => {})
    now.mockReturnValue(performance.now() + 2000)
    const health = await app.get(Health).check()
    expect(health.status).toBe('degraded')
    expect(health.plugins['outgoing']).toMatchObject({
      reason: expect.stringContaining('127.0.0.1:1'),
    })
    for (let i = 1000; i < 1120; i++)
      await call(`http://127.0.0.1:${i}/`, { signal: AbortSignal.abort() }).catch(() => {})
    const read = (name: string) =>
      app
        .get(Metrics)
        .list()
        .find((each) => each.name === name)
        ?.read()
    expect(read('outgoing_open_circuits')).toBe(1)
    const counts = read('outgoing_calls_total') as { value: number; labels: { host: string } }[]
    expect(counts[0]).toEqual({
      value: 5,
      labels: { host: '127.0.0.1:1', method: 'GET', status: 'error' },
    })
    expect(counts).toHaveLength(101)
    expect(counts.at(-1)).toMatchObject({ value: 21, labels: { host: 'other' } })
  })
})
