import {
  Auth,
  Controller,
  Get,
  HttpCode,
  HttpError,
  type Request,
  type Response,
  Use,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { turns } from '../../journeys/turns.js'
import { Remember, remembering } from './index.js'

let runs = 0
let gate: Promise<void> | undefined

@Auth()
@Controller('reports')
class Reports {
  @Remember({ ttl: '1m' })
  @Get()
  async list(_req: Request, res: Response) {
    const run = ++runs
    await gate
    res.setHeader('Content-Language', 'nl')
    return { run, at: new Date(0) }
  }

  @Remember({ ttl: '1m' })
  @Get('fails')
  fails() {
    runs++
    throw new HttpError(409)
  }

  @Remember({ ttl: '1m' })
  @Get('accepted')
  accepted(_req: Request, res: Response) {
    res.status(202)
    return ++runs
  }

  @Remember({ ttl: '1m' })
  @Get('cookie')
  cookie(_req: Request, res: Response) {
    res.cookie('session', 'secret')
    return ++runs
  }

  @Remember({ ttl: '1m' })
  @HttpCode(201)
  @Get('created')
  created() {
    return ++runs
  }

  @Remember({ ttl: '1m' })
  @Use((req, _res, next) =>
    next(req.get('x-blocked') === undefined ? undefined : new HttpError(403)),
  )
  @Get('used')
  used() {
    return ++runs
  }
}

async function start() {
  runs = 0
  gate = undefined
  const app = await TestApp.create({
    controllers: [Reports],
    auth: {
      guard: {
        canActivate(req: Request) {
          const id = req.get('x-user')
          req.user = id === 'odd' ? {} : { id }
          return id !== undefined
        },
      },
    },
    tenant: {},
    plugins: [remembering()],
    logger: false,
    contract: 'off',
  })
  app.clock.set('2030-01-31')
  const ask = async (
    path = '',
    user = 'ann',
    options: { tenant?: string; method?: string } = {},
  ) => {
    const { tenant, method = 'GET' } = options
    const headers = { 'x-user': user, ...(tenant === undefined ? {} : { 'x-tenant-id': tenant }) }
    const response = await app.fetch(`/reports${path}`, { method, headers })
    const text = await response.text()
    const { status } = response
    return {
      status,
      cache: response.headers.get('x-cache'),
      language: response.headers.get('content-language'),
      text,
    }
  }
  return { app, ask }
}

describe('the @Remember decorator', () => {
  it('sends the stored response until it expires', async () => {
    const { app, ask } = await start()
    await using _ = app
    const first = await ask()
    expect(first).toMatchObject({ status: 200, cache: 'MISS', language: 'nl' })
    expect(await ask()).toEqual({ ...first, cache: 'HIT' })
    await app.clock.advance('61s')
    expect((await ask()).cache).toBe('MISS')
    expect(runs).toBe(2)
  })

  it('stores a response for each tenant, user and query, and none for anonymous callers', async () => {
    const { app, ask } = await start()
    await using _ = app
    await ask()
    expect((await ask('', 'bob')).cache).toBe('MISS')
    expect((await ask('', 'ann', { tenant: 't1' })).cache).toBe('MISS')
    expect((await ask('', 'ann', { tenant: 't2' })).cache).toBe('MISS')
    expect((await ask('?page=2')).cache).toBe('MISS')
    expect((await ask('', 'ann', { tenant: 't2' })).cache).toBe('HIT')
    const stranger = await app.fetch('/reports')
    expect([stranger.status, stranger.headers.get('x-cache')]).toEqual([401, null])
    await ask('', 'odd')
    expect((await ask('', 'odd')).cache).toBe(null)
  })

  it('calls the handler only once for concurrent requests', async () => {
    const { app, ask } = await start()
    await using _ = app
    let open = () => {}
    gate = new Promise((resolve) => {
      open = resolve
    })
    const responses = Promise.all([ask(), ask(), ask()])
    await turns()
    open()
    const texts = (await responses).map(({ text }) => text)
    expect(new Set(texts).size).toBe(1)
    expect(runs).toBe(1)
  })

  it.each(['/fails', '/accepted', '/cookie', '/created'])(
    'never stores the response to %s',
    async (path) => {
      const { app, ask } = await start()
      await using _ = app
      await Promise.all([ask(path), ask(path)])
      expect((await ask(path)).cache).not.toBe('HIT')
      expect(runs).toBe(3)
    },
  )

  it('runs the middlewares passed to @Use before it sends a stored response', async () => {
    const { app, ask } = await start()
    await using _ = app
    await ask('/used')
    expect(await ask('/used')).toMatchObject({ status: 200, cache: 'HIT' })
    const headers = { 'x-user': 'ann', 'x-blocked': '1' }
    const blocked = await app.fetch('/reports/used', { headers })
    expect([blocked.status, blocked.headers.get('x-cache')]).toEqual([403, null])
  })

  it('responds to HEAD with a stored response, but stores no response to HEAD', async () => {
    const { app, ask } = await start()
    await using _ = app
    expect(await ask('', 'ann', { method: 'HEAD' })).toMatchObject({ cache: 'MISS', text: '' })
    expect((await ask()).cache).toBe('MISS')
    expect(await ask('', 'ann', { method: 'HEAD' })).toMatchObject({ cache: 'HIT', text: '' })
  })

  it('adds its header to the document', async () => {
    const { app } = await start()
    await using _ = app
    const { paths } = app.document
    expect(JSON.stringify(paths['/reports']?.get?.responses)).toContain('"X-Cache"')
    expect(JSON.stringify(paths['/reports/created'])).not.toContain('"X-Cache"')
  })
})
