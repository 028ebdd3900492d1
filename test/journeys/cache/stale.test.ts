import { Cache, Controller, Get, NotFoundError, Query, type Request, type Response } from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defer, nameTenant, settle } from './support.js'

let calls = 0
let isValid = true
let handle: (req: Request, res: Response) => unknown

@Controller()
class StaleController {
  @Cache({ ttl: '10s', staleWhileRevalidate: '20s' })
  @Get('news')
  news(req: Request, res: Response) {
    calls++
    return handle(req, res)
  }

  @Cache({ ttl: '10s', staleWhileRevalidate: '20s' })
  @Query(z.object({}).refine(() => isValid))
  @Get('checked')
  checked() {
    return {}
  }
}

let app: TestApp
beforeEach(async () => {
  calls = 0
  isValid = true
  handle = () => calls
  app = await TestApp.create({
    controllers: [StaleController],
    middlewares: [nameTenant],
    contract: 'off',
  })
  await app.clock.advance(0)
})
afterEach(() => app.close())

const ask = async () => {
  const { headers, body } = await app.request().get('/news')
  return `${headers['x-cache']} ${body.data} ${headers['age'] ?? '-'}`
}

describe('the staleWhileRevalidate option', () => {
  it.each<[string, typeof handle]>([
    ['a value', () => calls],
    ['a promise', async () => calls],
    ['res.json', (_, res) => res.json({ data: calls })],
    ['a callback', (_, res) => process.nextTick(() => res.json({ data: calls }))],
  ])('sends the stale response at once, and refreshes it in the background: %s', async (_, run) => {
    handle = run
    expect(await ask()).toBe('MISS 1 -')
    await app.clock.advance('12s')
    expect(await ask()).toBe('STALE 1 12')
    await settle()
    expect(await ask()).toBe('HIT 2 0')
    expect(calls).toBe(2)
  })

  it('refreshes the response once for concurrent requests', async () => {
    await ask()
    await app.clock.advance('12s')
    const end = defer<unknown>()
    handle = () => end.promise
    const answers = await Promise.all(Array.from({ length: 10 }, ask))
    expect(new Set(answers)).toEqual(new Set(['STALE 1 12']))
    expect(calls).toBe(2)
    end.resolve('new')
    await settle()
    expect(await ask()).toBe('HIT new 0')
  })

  it('sends no stale response after its period', async () => {
    await ask()
    await app.clock.advance('30s')
    expect(await ask()).toBe('MISS 2 -')
  })

  it('sends a stale response to a HEAD request, but does not refresh it', async () => {
    await ask()
    await app.clock.advance('12s')
    expect((await app.request().head('/news')).headers['x-cache']).toBe('STALE')
    await settle()
    expect(calls).toBe(1)
  })

  it('logs the tenant if a refresh fails', async () => {
    const get = () => app.asTenant('acme').request().get('/news')
    await get()
    await app.clock.advance('12s')
    handle = () => Promise.reject(new Error('down'))
    await get()
    await settle()
    expect(app.logs.map(({ facts }) => facts['tenant'])).toEqual(['acme'])
  })

  it('keeps the stale response if a refresh fails, and logs a thrown error', async () => {
    await ask()
    await app.clock.advance('12s')
    for (const fail of [
      () => Promise.reject(new Error('down')),
      () => {
        throw new Error('down')
      },
      (_: Request, res: Response) => res.status(500).json({}),
    ]) {
      handle = fail
      expect(await ask()).toBe('STALE 1 12')
      await settle()
    }
    expect(calls).toBe(4)
    const errors = app.logs.filter(({ level }) => level === 'error')
    expect(errors.map(({ message }) => message)).toEqual([
      'A cached response could not be refreshed',
      'A cached response could not be refreshed',
    ])
  })

  it('logs a refresh that validation refuses, and also validates the next request', async () => {
    const get = async () => (await app.request().get('/checked')).headers['x-cache']
    expect(await get()).toBe('MISS')
    await app.clock.advance('12s')
    isValid = false
    expect(await get()).toBe('STALE')
    await settle()
    const errors = app.logs.filter(({ level }) => level === 'error')
    expect(errors.map(({ facts }) => facts['err'])).toMatchObject([{ status: 400 }])
    expect((await app.request().get('/checked')).status).toBe(400)
  })

  it.each<[string, typeof handle]>([
    [
      'is a 404',
      () => {
        throw new NotFoundError()
      },
    ],
    ['is private', (_, res) => res.set('Cache-Control', 'private').json({ data: 'mine' })],
    [
      'is a stream',
      (_, res) => {
        res.write('a')
        res.end()
      },
    ],
  ])('deletes the stale response if the new response %s', async (_, run) => {
    await ask()
    await app.clock.advance('12s')
    handle = run
    expect(await ask()).toBe('STALE 1 12')
    await settle()
    handle = () => 'asked'
    expect(await ask()).toBe('MISS asked -')
  })

  it('gives up a refresh after its time limit, and the next request starts another one', async () => {
    await ask()
    await app.clock.advance('10s')
    handle = () => new Promise(() => {})
    expect(await ask()).toBe('STALE 1 10')
    await app.clock.advance('9s')
    expect(await ask()).toBe('STALE 1 19')
    expect(calls).toBe(2)
    await app.clock.advance('1s')
    handle = () => 'at last'
    expect(await ask()).toBe('STALE 1 20')
    await settle()
    expect(await ask()).toBe('HIT at last 0')
  })

  it('emits finish and close events on the response of a refresh', async () => {
    await ask()
    await app.clock.advance('12s')
    const ends: string[] = []
    handle = (req, res) => {
      res.on('finish', () => ends.push('finish')).on('close', () => ends.push('close'))
      expect(req.res).not.toBe(res)
      return 'new'
    }
    await ask()
    await settle()
    expect(ends).toEqual(['finish', 'close'])
  })

  it('passes res.locals of the middlewares to the refresh', async () => {
    await app.close()
    app = await TestApp.create({
      controllers: [StaleController],
      middlewares: [
        (_req: Request, res: Response, next: () => void) => {
          res.locals['greeting'] = 'hello'
          next()
        },
      ],
    })
    await app.clock.advance(0)
    handle = (_, res) => res.locals['greeting'] + calls
    await ask()
    await app.clock.advance('12s')
    await ask()
    expect(await ask()).toBe('HIT hello2 0')
  })

  it('keeps the responses of tenants separate', async () => {
    handle = (req) => `${req.get('x-tenant-id')} ${calls}`
    const askAs = async (id: string) =>
      (await app.asTenant(id).request().get('/news')).body.data as string
    for (const id of ['a', 'b']) await askAs(id)
    await app.clock.advance('12s')
    expect(await Promise.all(['a', 'b'].map(askAs))).toEqual(['a 1', 'b 2'])
    await settle()
    expect([await askAs('a'), await askAs('b')].map((text) => text[0])).toEqual(['a', 'b'])
    expect(calls).toBe(4)
  })

  it('logs nothing if the application closes during a refresh', async () => {
    await ask()
    await app.clock.advance('12s')
    const end = defer<unknown>()
    handle = () => end.promise
    await ask()
    await app.close()
    end.reject(new Error('closed'))
    await settle()
    expect(app.logs).toEqual([])
  })
})
