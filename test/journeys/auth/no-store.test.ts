import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  App,
  Auth,
  type AuthGuard,
  Cache,
  Can,
  Controller,
  fileResponse,
  Get,
  Header,
  NotFoundError,
  Public,
  type Request,
  type RequestHandler,
  type Response,
  Sse,
} from 'blazon'
import { addHeaders } from 'blazon/plugin'
import { TestApp, type TestOptions } from 'blazon/testing'
import express from 'express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

const guard: AuthGuard = {
  canActivate(req: Request) {
    if (req.headers.authorization !== 'right') return false
    req.user = { id: 1 }
    return true
  },
}

@Auth()
@Controller('r')
class Routes {
  @Get('json')
  json() {
    return { a: 1 }
  }

  @Auth({ optional: true })
  @Get('optional')
  optional() {
    return { a: 1 }
  }

  @Public()
  @Get('public')
  public() {
    return { a: 1 }
  }

  @Get('text')
  text(_req: Request, res: Response) {
    res.send('text')
  }

  @Get('own')
  own(_req: Request, res: Response) {
    res.set('Cache-Control', 'private, max-age=5')
    return { a: 1 }
  }

  @Get('removed')
  removed(_req: Request, res: Response) {
    res.removeHeader('Cache-Control')
    return { a: 1 }
  }

  @Header('Cache-Control', 'max-age=9')
  @Get('decorated')
  decorated() {
    return { a: 1 }
  }

  @Cache({ ttl: 60 })
  @Get('cached')
  cached() {
    return { a: 1 }
  }

  @Get('file')
  file() {
    return fileResponse(Buffer.from('text'), { name: 'a.txt', type: 'text/plain' } as never)
  }

  @Sse(z.object({ a: z.number() }))
  @Get('stream')
  async *stream() {
    yield { a: 1 }
  }

  @Get('missing')
  missing(_req: Request, res: Response) {
    res.set('Cache-Control', 'max-age=60')
    throw new NotFoundError('gone')
  }

  @Get('broken')
  broken() {
    throw new Error('broken')
  }

  @Can('nothing')
  @Get('can')
  can() {
    return { a: 1 }
  }
}

const start = (options: TestOptions = {}) =>
  TestApp.create({ controllers: [Routes], auth: { guard }, contract: 'off', ...options })

const NAMES = [
  'json',
  'optional',
  'public',
  'text',
  'own',
  'removed',
  'decorated',
  'cached',
  'stream',
  'missing',
  'file',
  'broken',
  'can',
]

async function table(
  app: TestApp,
  headers: Record<string, string>,
  names: readonly string[] = NAMES,
) {
  const found: Record<string, string> = {}
  for (const name of names) {
    const response = await app.request().get(`/r/${name}`).set(headers)
    found[name] = `${response.status} ${response.headers['cache-control'] ?? '-'}`
  }
  return found
}

const RIGHT = { authorization: 'right' }
const EXPECTED = {
  json: '200 no-store',
  optional: '200 no-store',
  public: '200 -',
  text: '200 no-store',
  own: '200 private, max-age=5',
  removed: '200 -',
  decorated: '200 max-age=9',
  cached: '200 -',
  stream: '200 no-store, no-transform',
  missing: '404 no-store',
  file: '200 no-store, no-transform',
  broken: '500 no-store',
  can: '403 no-store',
}

describe('the response to a request that the guard has admitted', () => {
  it('has Cache-Control: no-store unless the route sends another value', async () => {
    await using app = await start()
    expect(await table(app, RIGHT)).toEqual(EXPECTED)
  })

  it('has Cache-Control: no-store together with the headers of middlewares and helmet', async () => {
    const mark: RequestHandler = (_req, res, next) => {
      res.set('X-Mark', '1')
      next()
    }
    await using app = await start({ middlewares: [mark], security: {} })
    expect(await table(app, RIGHT)).toEqual(EXPECTED)
  })

  it.each<[string, (res: Response) => unknown]>([
    ['sets', (res) => res.set('Cache-Control', 'private')],
    ['adds', (res) => addHeaders(res, ['Cache-Control', 'private'])],
    ['adds in lower case', (res) => addHeaders(res, ['cache-control', 'private'])],
  ])('keeps the Cache-Control header that a middleware %s', async (_, add) => {
    const mark: RequestHandler = (_req, res, next) => {
      add(res as Response)
      next()
    }
    await using app = await start({ middlewares: [mark] })
    expect(await table(app, RIGHT, ['json', 'text'])).toEqual({
      json: '200 private',
      text: '200 private',
    })
  })

  it('can still have status 304', async () => {
    await using app = await start({ etag: true } as TestOptions)
    const { headers } = await app.request().get('/r/json').set(RIGHT)
    const again = await app
      .request()
      .get('/r/json')
      .set({ ...RIGHT, 'if-none-match': String(headers['etag']) })
    expect([again.status, again.headers['cache-control']]).toEqual([304, 'no-store'])
  })

  it('has Cache-Control: no-store in an application that is mounted in Express', async () => {
    const app = await App.create({ controllers: [Routes], auth: { guard }, logger: false })
    const host = express()
    host.use('/api', app.handler as never)
    const server = createServer(host).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    const found: Record<string, string> = {}
    for (const name of ['json', 'text', 'own', 'can', 'public']) {
      const response = await fetch(`http://127.0.0.1:${port}/api/r/${name}`, { headers: RIGHT })
      found[name] = `${response.status} ${response.headers.get('cache-control') ?? '-'}`
    }
    await app.close()
    server.close()
    server.closeAllConnections()
    const { json, text, own, can } = EXPECTED
    expect(found).toEqual({ json, text, own, can, public: '200 -' })
  })
})

describe('the response of an optional route with several guards', () => {
  it('has Cache-Control: no-store only for a caller', async () => {
    @Controller('r')
    class Several {
      @Auth('one', 'two', { optional: true }) @Get('optional') optional() {
        return { a: 1 }
      }
    }
    const guards = { one: guard, two: { ...guard, credentials: ['x-two'] } }
    await using app = await start({ controllers: [Several], auth: { guards } })
    expect(await table(app, {}, ['optional'])).toEqual({ optional: '200 -' })
    expect(await table(app, RIGHT, ['optional'])).toEqual({ optional: '200 no-store' })
  })
})

describe('the response to a request that the guard has not admitted', () => {
  it('has no Cache-Control header', async () => {
    await using app = await start()
    const names = ['json', 'optional', 'public', 'can']
    expect(await table(app, {}, names)).toEqual({
      json: '401 -',
      optional: '200 -',
      public: '200 -',
      can: '401 -',
    })
    expect(await table(app, { authorization: 'wrong' }, ['json', 'optional'])).toEqual({
      json: '401 -',
      optional: '401 -',
    })
  })
})
