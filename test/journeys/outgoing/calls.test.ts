import { getEventListeners } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  App,
  type AppOptions,
  Controller,
  defineControllers,
  Get,
  inject,
  Outgoing,
  type OutgoingInit,
  type Plugin,
  type Request,
} from 'blazon'
import type { NewCall } from 'blazon/plugin'
import { describe, expect, it, onTestFinished } from 'vitest'
import { gate } from '../gate.js'
import { otherHost } from './other-host.js'

/** An application with one route, which runs what the test wants to call. */
async function appThat(
  run: (outgoing: Outgoing, req: Request) => unknown,
  options: AppOptions = {},
): Promise<{ url: string; server: Server; app: App }> {
  @Controller('run')
  class RunController {
    readonly #outgoing = inject(Outgoing)

    @Get() run(req: Request) {
      return run(this.#outgoing, req)
    }
  }
  const app = new App({ controllers: defineControllers(RunController), logger: false, ...options })
  onTestFinished(() => app.close())
  const { port } = (await app.listen(0, '127.0.0.1')) as AddressInfo
  return { url: `http://127.0.0.1:${port}/run`, server: app.server, app }
}

describe('an outgoing call', () => {
  it('delivers a body that a handler passes on, even after the time limit of its request', async () => {
    const { open, opened } = gate()
    const host = await otherHost(async (_req, res) => {
      res.write('first ')
      await opened
      res.end('last')
    })
    const { url } = await appThat((outgoing) => outgoing(host.url), {
      timeouts: { handler: '50ms' },
    })
    const response = await fetch(url)
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    expect((await reader?.read())?.value).toBe('first ')
    // Longer than the limit of the handler, and the additional time of its calls.
    await new Promise((resolve) => setTimeout(resolve, 200))
    open()
    expect((await reader?.read())?.value).toBe('last')
  })

  it('behaves like fetch() for a string, a URL and a Request', async () => {
    const host = await otherHost((req, res) => res.end(`${req.method} ${req.url}`))
    const { url } = await appThat(async (outgoing) => {
      const one = await outgoing(`${host.url}/a?b=c`, { method: 'POST', body: 'x' })
      const two = await outgoing(new URL(`${host.url}/b`))
      const request = new globalThis.Request(`${host.url}/c`, { method: 'PUT', body: 'y' })
      const three = await outgoing(request)
      return Promise.all([one.text(), two.text(), three.text()])
    })
    const { data } = (await (await fetch(url)).json()) as { data: string[] }
    expect(data).toEqual(['POST /a?b=c', 'GET /b', 'PUT /c'])
    expect(host.got.map(({ body }) => body)).toEqual(['x', '', 'y'])
  })

  it('continues the trace of its request, and sends the request id', async () => {
    const host = await otherHost((_req, res) => res.end())
    const { url } = await appThat(async (outgoing, req) => {
      await outgoing(host.url)
      return req.id
    })
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
    const response = await fetch(url, { headers: { traceparent, tracestate: 'v=1' } })
    const { data } = (await response.json()) as { data: string }
    const [got] = host.got
    expect(got?.headers['traceparent']).toMatch(/^00-a{32}-(?!b{16})[0-9a-f]{16}-01$/)
    expect(got?.headers).toMatchObject({ tracestate: 'v=1', 'x-request-id': data })
  })

  it('forwards no credential of its request, but sends those of the handler', async () => {
    const host = await otherHost((_req, res) => res.end())
    const lines: unknown[] = []
    const logger = { info() {}, error() {}, warn: (facts: object) => lines.push(facts) }
    const { url } = await appThat(
      async (outgoing, req) => {
        // The mistake of a proxy: all headers of the request.
        await outgoing(host.url, { headers: { ...req.headers, host: 'other' } as never })
        await outgoing(host.url, { headers: { ...req.headers, host: 'other' } as never })
        await outgoing(host.url, { headers: { authorization: 'Bearer own', cookie: 'own=1' } })
        return []
      },
      { tenant: {}, logger, auth: { credentials: ['x-api-key', 'cookie:session'] } },
    )
    const headers = {
      authorization: 'Bearer client',
      'x-api-key': 'key of the client',
      cookie: 'a=1',
      'x-tenant-id': 'acme',
      'x-other': '1',
    }
    expect((await fetch(url, { headers })).status).toBe(200)
    const [forwarded, , own] = host.got.map((each) => each.headers)
    expect(forwarded).toMatchObject({ 'x-other': '1' })
    for (const name of ['authorization', 'cookie', 'x-api-key', 'x-tenant-id'])
      expect(forwarded).not.toHaveProperty(name)
    expect(own).toMatchObject({ authorization: 'Bearer own', cookie: 'own=1' })
    expect(lines).toEqual(
      ['authorization', 'cookie', 'x-api-key', 'x-tenant-id'].map((header) => ({ header })),
    )
  })

  it('works outside of requests, without a trace context', async () => {
    const host = await otherHost((_req, res) => res.end('late'))
    const { app } = await appThat(() => [])
    const response = await app.get(Outgoing)(host.url)
    expect(await response.text()).toBe('late')
    expect(host.got[0]?.headers).not.toHaveProperty('traceparent')
  })

  it('does not show the password of a URL in an error', async () => {
    const { app } = await appThat(() => [])
    const error = await app.get(Outgoing)('http://ada:hunter2@bank.example/').catch(String)
    expect(error).toMatch('bank.example has a user or a password')
    expect(error).not.toMatch('hunter2')
    await expect(app.get(Outgoing)('/relative')).rejects.toThrow('the URL is not absolute')
    await expect(
      app.get(Outgoing)('http://x.example', { timeout: 'soon' as never }),
    ).rejects.toThrow('soon is not a duration')
  })

  it('is observed by plugins, which can set its headers', async () => {
    const host = await otherHost((_req, res) => res.writeHead(201).end())
    const seen: unknown[] = []
    const observer: Plugin = {
      name: 'observer',
      requests: () => ({
        onCall({ method, url, headers, req }: NewCall) {
          headers.set('x-seen', '1')
          return ({ status, attempts, error }) =>
            seen.push([method, url.pathname, req?.url, status, attempts, error])
        },
      }),
    }
    const broken: Plugin = {
      name: 'broken',
      requests: () => ({
        onCall() {
          throw new Error('an observer')
        },
      }),
    }
    const { url } = await appThat(
      async (outgoing) => {
        await outgoing(`${host.url}/x?secret=1`)
        await outgoing('http://127.0.0.1:1/').catch(() => {})
        return []
      },
      { plugins: [broken, observer] },
    )
    expect((await fetch(url)).status).toBe(200)
    expect(host.got[0]?.headers['x-seen']).toBe('1')
    expect(seen).toEqual([
      ['GET', '/x', '/run', 201, 1, undefined],
      ['GET', '/', '/run', null, 1, expect.any(TypeError)],
    ])
  })
})

describe('the abort of an outgoing call', () => {
  /** A host that answers nothing, and tells when a call has come and when its connection is over. */
  async function silentHost() {
    const came = gate()
    const over = gate()
    const host = await otherHost((req) => {
      req.socket.once('close', over.open)
      came.open()
    })
    return { ...host, came, over }
  }

  async function failureOf(
    call: (outgoing: Outgoing, url: string, came: Promise<void>) => Promise<unknown>,
    options: AppOptions,
  ) {
    const host = await silentHost()
    const failed = gate()
    let failure: unknown
    const { url } = await appThat(async (outgoing) => {
      await call(outgoing, host.url, host.came.opened).catch((error: unknown) => {
        failure = error
      })
      failed.open()
      return []
    }, options)
    const response = await fetch(url)
    await failed.opened
    await host.over.opened
    return { status: response.status, failure }
  }

  it('is caused by the handler timeout of its request, which closes the connection', async () => {
    const timeouts = { handler: '200ms' } as const
    const { status, failure } = await failureOf((outgoing, url) => outgoing(url), { timeouts })
    expect(status).toBe(503)
    expect(failure).toMatchObject({ message: expect.stringMatching(/took (?:too long|longer)/) })
  })

  it('is caused by the handler timeout even if the handler blocks the event loop after the call', async () => {
    const timeouts = { handler: '200ms' } as const
    const work = (outgoing: Outgoing, url: string) => {
      const sent = outgoing(url)
      const until = performance.now() + 80
      while (performance.now() < until);
      return sent
    }
    expect(await failureOf(work, { timeouts })).toMatchObject({ status: 503 })
  })

  it('is caused by the handler timeout even if the event loop is blocked when both time limits end', async () => {
    const timeouts = { handler: '200ms' } as const
    const block = (ms: number) => {
      const until = performance.now() + ms
      while (performance.now() < until);
    }
    const work = (outgoing: Outgoing, url: string) => {
      const sent = outgoing(url)
      setTimeout(() => block(120), 200)
      block(80)
      return sent
    }
    expect(await failureOf(work, { timeouts })).toMatchObject({ status: 503 })
  })

  it('is not delayed by a longer time limit of the call', async () => {
    const timeouts = { handler: '200ms' } as const
    const init: OutgoingInit = { timeout: '1h' }
    expect(await failureOf((outgoing, url) => outgoing(url, init), { timeouts })).toMatchObject({
      status: 503,
    })
  })

  it('is caused earlier by a shorter time limit of the call', async () => {
    const init: OutgoingInit = { timeout: '200ms' }
    const { status, failure } = await failureOf((outgoing, url) => outgoing(url, init), {})
    expect(status).toBe(200)
    expect(failure).toMatchObject({
      name: 'TimeoutError',
      message: expect.stringContaining('200 ms'),
    })
  })

  it('is caused by a client that disconnects', async () => {
    const host = await silentHost()
    const failed = gate()
    const { url } = await appThat((outgoing) => outgoing(host.url).finally(failed.open))
    const controller = new AbortController()
    const sent = fetch(url, { signal: controller.signal }).catch(() => {})
    await host.came.opened
    controller.abort()
    await Promise.all([sent, failed.opened, host.over.opened])
  })

  it('is caused by the handler timeout of its request, even if the response was sent before', async () => {
    const host = await silentHost()
    const failed = gate()
    let failure: unknown
    const run = async (outgoing: Outgoing) => {
      const sent = outgoing(host.url).catch((error: unknown) => {
        failure = error
      })
      void sent.then(failed.open)
      await host.came.opened
      return []
    }
    const { url } = await appThat(run, { timeouts: { handler: '1s' } })
    expect((await fetch(url)).status).toBe(200)
    await Promise.all([failed.opened, host.over.opened])
    expect(failure).toMatchObject({ name: 'TimeoutError' })
  })

  it('occurs for all calls of a request, even if they are many, without a warning', async () => {
    const warnings: string[] = []
    const note = ({ message }: Error) => void warnings.push(message)
    process.on('warning', note)
    onTestFinished(() => void process.off('warning', note))
    const came = gate()
    const ended = gate()
    const host = await otherHost(() => {
      if (host.got.length === 12) came.open()
    })
    let results: PromiseSettledResult<Response>[] = []
    const { url } = await appThat(async (outgoing) => {
      const calls = Array.from({ length: 12 }, () => outgoing(host.url))
      results = await Promise.allSettled(calls)
      ended.open()
      return []
    })
    const controller = new AbortController()
    const sent = fetch(url, { signal: controller.signal }).catch(() => {})
    await came.opened
    controller.abort()
    await Promise.all([sent, ended.opened])
    expect(results.map(({ status }) => status)).toEqual(Array(12).fill('rejected'))
    expect(warnings).toEqual([])
  })

  it('is caused by a signal that is passed to the call', async () => {
    const controller = new AbortController()
    const reason = new Error('enough')
    const { failure } = await failureOf((outgoing, url, came) => {
      void came.then(() => controller.abort(reason))
      return outgoing(url, { signal: controller.signal })
    }, {})
    expect(failure).toBe(reason)
  })

  it('uses one listener per signal, however many calls share the signal', async () => {
    const { signal } = new AbortController()
    const host = await otherHost((_req, res) => void res.end('unread'))
    const { url } = await appThat(async (outgoing) => {
      const calls = Array.from({ length: 20 }, () => outgoing(host.url, { signal }))
      return (await Promise.all(calls)).length
    })
    expect((await fetch(url)).status).toBe(200)
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
  })

  it('can also occur while the body arrives', async () => {
    const over = gate()
    const host = await otherHost((req, res) => {
      req.socket.once('close', over.open)
      res.write('begin')
    })
    const { url } = await appThat(async (outgoing) => (await outgoing(host.url)).text(), {
      timeouts: { handler: '200ms' },
    })
    expect((await fetch(url)).status).toBe(503)
    await over.opened
  })

  it('is caused by the time limit of the call while the body arrives', async () => {
    const host = await otherHost((_req, res) => void res.write('begin'))
    const { app } = await appThat(() => [])
    const response = await app.get(Outgoing)(host.url, { timeout: '200ms' })
    await expect(response.text()).rejects.toMatchObject({ name: 'TimeoutError' })
  })

  it('can also be caused by the option `timeout` outside of requests', async () => {
    const host = await silentHost()
    const { app } = await appThat(() => [], { outgoing: { timeout: '200ms' } })
    await expect(app.get(Outgoing)(host.url)).rejects.toMatchObject({ name: 'TimeoutError' })
    await host.over.opened
  })
})

it('the outgoing options are validated', async () => {
  const create = (outgoing: unknown) => App.create({ outgoing: outgoing as never, logger: false })
  await expect(create({ retries: 3 })).rejects.toThrow('outgoing.retries')
  await expect(create({ timeout: 'soon' })).rejects.toThrow('outgoing.timeout')
  await expect(create(true)).rejects.toThrow('outgoing')
  await expect(create({ retry: true })).rejects.toThrow('outgoing.retry')
})
