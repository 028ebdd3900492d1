import { once } from 'node:events'
import { connect } from 'node:net'
import { App, Controller, Get, type Request, type Response } from 'blazon'
import type { RequestOutcome, StepFactory } from 'blazon/plugin'
import { describe, expect, it } from 'vitest'
import { plugin, start, Things, toss } from './steps-app.js'

describe('the onResponse observer', () => {
  const stamp = plugin({
    onResponse(_req, res) {
      res.setHeader('X-Status', res.statusCode)
    },
  })

  it.each([
    ['a returned value', '/things', 200],
    ['an error that the handler throws', '/things/fails', 409],
  ])('can set headers of the response for %s', async (_, path, status) => {
    await using app = await start([stamp])
    const response = await app.request().get(path)
    expect([response.status, response.headers['x-status']]).toEqual([status, String(status)])
  })

  it('is also called once for a refusal by the guard', async () => {
    let calls = 0
    const counting = plugin({ onResponse: () => void calls++ })
    await using app = await start([stamp, counting])
    const response = await app.request().post('/things').send({ name: 'b' })
    expect([response.status, response.headers['x-status'], calls]).toEqual([401, '401', 1])
  })

  it('can change the status, even if the handler writes the head itself', async () => {
    @Controller('heads')
    class Heads {
      @Get('json') json(_req: Request, res: Response) {
        res.status(200).json([])
      }

      @Get('written') written(_req: Request, res: Response) {
        res.writeHead(200, { 'X-Own': 'yes' }).end('written')
      }

      @Get('flushed') flushed(_req: Request, res: Response) {
        res.flushHeaders()
        res.end('flushed')
      }
    }
    let calls = 0
    const teapot = plugin({
      onResponse(_req, res) {
        calls++
        res.statusCode = 299
      },
    })
    await using app = await start([teapot], { controllers: [Heads] })
    for (const path of ['json', 'written', 'flushed']) {
      expect((await app.request().get(`/heads/${path}`)).status).toBe(299)
    }
    expect((await app.request().get('/heads/written')).headers['x-own']).toBe('yes')
    expect(calls).toBe(4)
  })

  it('is called once, even if the head of the first response cannot be written', async () => {
    @Controller('heads')
    class Heads {
      @Get() get(_req: Request, res: Response) {
        res.writeHead(200, { 'X Invalid': 'yes' })
      }
    }
    const statuses: number[] = []
    const counting = plugin({ onResponse: (_req, res) => void statuses.push(res.statusCode) })
    await using app = await start([counting], { controllers: [Heads], logger: false })
    expect((await app.request().get('/heads')).status).toBe(500)
    expect(statuses).toEqual([200])
  })

  it('does not change the response if it throws, and its error is logged', async () => {
    const errors: unknown[] = []
    const logger = { info() {}, warn() {}, error: (facts: object) => errors.push(facts) }
    const failing = plugin({
      onResponse: () => toss(new Error('broken')),
      onEnd: (async () => toss(new Error('broken later'))) as () => void,
    })
    await using app = await start([failing, stamp], { logger })
    const response = await app.request().get('/things').expect(200)
    expect(response.headers['x-status']).toBe('200')
    await expect.poll(() => errors.length).toBe(2)
    await app.request().get('/things/fails').expect(409)
    await expect.poll(() => errors.length).toBe(4)
    const logged = errors.map((facts) => (facts as { status: number }).status)
    expect(logged).toEqual([200, 200, 409, 409])
  })
})

describe('an onResponse observer that sends a response', () => {
  const SENDING: [string, (res: Response) => unknown][] = [
    ['res.end', (res) => res.end('mine')],
    ['res.write', (res) => res.write('mine')],
    ['res.json', (res) => res.status(418).json({ mine: true })],
    ['res.redirect', (res) => res.redirect('/mine')],
    ['res.writeHead', (res) => res.writeHead(418)],
  ]

  it.each(SENDING)(
    'closes the connection, and causes a log line with the remedy: %s',
    async (_, send) => {
      const errors: { err: Error }[] = []
      const outcomes: RequestOutcome[] = []
      const logger = {
        info() {},
        warn() {},
        error: (facts: object) => void errors.push(facts as { err: Error }),
      }
      const sending = plugin({
        onResponse: (_req, res) => void send(res),
        onEnd: (_req, _res, outcome) => void outcomes.push(outcome),
      })
      await using app = await start([sending], { logger })
      for (const path of ['/things', '/things/fails']) {
        await expect(app.fetch(path).then((response) => response.text())).rejects.toThrow()
      }
      await expect.poll(() => outcomes).toEqual(['aborted', 'aborted'])
      expect(errors.map(({ err }) => err.message)).toEqual([
        expect.stringMatching(/in `onResponse`.*aroundHandler/),
        expect.stringMatching(/in `onResponse`.*aroundHandler/),
      ])
    },
  )
})

describe('the outcome in onEnd', () => {
  const recording = () => {
    const outcomes: [string, RequestOutcome, number][] = []
    const record = (req: Request, res: Response, outcome: RequestOutcome) =>
      outcomes.push([req.path, outcome, res.statusCode])
    return { outcomes, plugin: plugin({ onEnd: (...args) => void record(...args) }) }
  }

  it("is 'sent' for a success and for an error response", async () => {
    const { outcomes, plugin } = recording()
    await using app = await start([plugin])
    await app.request().get('/things')
    await app.request().get('/things/fails')
    await app.request().post('/things')
    expect(outcomes).toEqual([
      ['/things', 'sent', 200],
      ['/things/fails', 'sent', 409],
      ['/things', 'sent', 401],
    ])
  })

  it("is 'timeout' if the handler takes too long", async () => {
    const { outcomes, plugin } = recording()
    await using app = await start([plugin], { timeouts: { handler: '5s' } })
    const response = app.request().get('/things/slow').expect(503)
    response.then(() => {})
    await expect.poll(() => app.clock.advance('6s').then(() => outcomes)).toHaveLength(1)
    await response
    expect(outcomes).toEqual([['/things/slow', 'timeout', 503]])
  })

  it("is 'aborted' if the client disconnects", async () => {
    const { outcomes, plugin } = recording()
    let entered = () => {}
    const arrived = new Promise<void>((resolve) => {
      entered = resolve
    })
    const noted: StepFactory = (next) => (req, res) => {
      entered()
      return next(req, res)
    }
    const plugins = [plugin, { name: 'noted', steps: () => ({ enter: noted }) }]
    const app = await App.create({ controllers: [Things], plugins, logger: false })
    const { port } = await app.listen(0, '127.0.0.1')
    try {
      const socket = connect(port, '127.0.0.1')
      await once(socket, 'connect')
      socket.write('GET /things/slow HTTP/1.1\r\nHost: localhost\r\n\r\n')
      await arrived
      socket.destroy()
      await expect.poll(() => outcomes).toEqual([['/things/slow', 'aborted', 200]])
    } finally {
      await app.close()
    }
  })
})
