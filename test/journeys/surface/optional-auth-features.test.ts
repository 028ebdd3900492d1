import { Auth, Cache, Controller, Get, RateLimit, type Request, Tenant, type User } from 'blazon'
import { describe, expect, it } from 'vitest'
import { Articles, ask, type Headers, Notes, start, whose } from './optional-auth-app.js'

class MoreNotes extends Notes {
  override list(req: Request) {
    return whose(req)
  }
}
Controller('more')(MoreNotes as never, undefined as never)

@Auth({ optional: true })
@Controller()
class Features {
  calls = 0

  @Cache({ ttl: 60 })
  @Get('cached')
  cached(req: Request) {
    return { ...whose(req), call: ++this.calls }
  }

  @Cache({ ttl: 60, key: () => 'own' })
  @Get('own')
  own(req: Request) {
    return { ...whose(req), call: ++this.calls }
  }

  @RateLimit({ limit: 1, window: '1m', by: 'user' })
  @Get('limited')
  limited(req: Request) {
    return whose(req)
  }

  @Tenant()
  @Get('rooms')
  rooms(req: Request) {
    return whose(req)
  }
}

describe('optional authentication with other features', () => {
  it.each(['/cached', '/own'])('never mixes the cached responses of users: %s', async (path) => {
    await using app = await start({}, [Features])
    const callers = [{}, { authorization: 'Bearer ann' }, { authorization: 'Bearer bob' }]
    const readers: unknown[] = []
    for (const headers of [...callers, ...callers, ...callers.toReversed()]) {
      readers.push(await ask(app, headers as Headers, path))
    }
    const once = ['anybody', 'ann', 'bob']
    expect(readers).toEqual([...once, ...once, ...once.toReversed()])
    expect(await ask(app, { authorization: 'Bearer eve' }, path)).toBe(401)
  })

  it('caches responses for callers without credentials, and for each user', async () => {
    await using app = await start({}, [Features])
    for (const headers of [{}, { authorization: 'Bearer ann' }]) {
      const states: unknown[] = []
      for (let i = 0; i < 2; i++) {
        const response = await app.request().get('/cached').set(headers)
        states.push(response.headers['x-cache'])
      }
      expect(states).toEqual(['MISS', 'HIT'])
    }
  })

  it.each(['/cached', '/own'])(
    'caches no responses for callers with credentials if the guard sets no user: %s',
    async (path) => {
      const guard = { canActivate: () => true }
      const auth = { guard, credentials: ['x-session'] }
      @Auth({ optional: true })
      @Controller()
      class Sessions {
        @Cache({ ttl: 60 })
        @Get('cached')
        cached(req: Request) {
          return { reader: req.get('x-session') ?? 'anybody' }
        }

        @Cache({ ttl: 60, key: () => 'own' })
        @Get('own')
        own(req: Request) {
          return { reader: req.get('x-session') ?? 'anybody' }
        }
      }
      await using app = await start({ auth, contract: 'off' }, [Sessions])
      expect(await ask(app, { 'x-session': 'ann' }, path)).toBe('ann')
      expect(await ask(app, {}, path)).toBe('anybody')
      expect(await ask(app, { 'x-session': 'bob' }, path)).toBe('bob')
      expect(await ask(app, {}, path)).toBe('anybody')
    },
  )

  it('applies rate limits to users by their ID, and to other callers by their address', async () => {
    await using app = await start({ rateLimit: {} }, [Features])
    const statuses: unknown[] = []
    for (const name of ['', 'ann', 'bob', '', 'ann']) {
      const headers = name === '' ? {} : { authorization: `Bearer ${name}` }
      statuses.push(await ask(app, headers as Headers, '/limited'))
    }
    expect(statuses).toEqual(['anybody', 'ann', 'bob', 429, 429])
  })

  it('also calls `tenant.authorize` for requests without a user', async () => {
    const seen: unknown[] = []
    const authorize = (_req: Request, id: string, user?: User): boolean => {
      seen.push([id, user?.id])
      return user !== undefined
    }
    await using app = await start({ tenant: { authorize } }, [Features, Articles])
    const acme = { 'x-tenant-id': 'acme' }
    expect(await ask(app, { ...acme, authorization: 'Bearer ann' }, '/rooms')).toBe('ann')
    expect(await ask(app, acme, '/rooms')).toBe(403)
    expect(await ask(app, acme, '/articles')).toBe(403)
    expect(await ask(app, {}, '/articles')).toBe('anybody')
    expect(await ask(app, { ...acme, authorization: 'Bearer eve' }, '/rooms')).toBe(401)
    expect(seen).toEqual([
      ['acme', 'ann'],
      ['acme', undefined],
      ['acme', undefined],
    ])
  })

  it('stays optional if a subclass overrides the method', async () => {
    await using app = await start({}, [MoreNotes])
    expect(await ask(app, {}, '/more')).toBe('anybody')
    expect(await ask(app, { authorization: 'Bearer eve' }, '/more')).toBe(401)
    expect(await ask(app, {}, '/more/mine')).toBe(401)
  })
})

describe('tests of optional authentication', () => {
  it('can send requests as a user or as an anonymous caller', async () => {
    await using app = await start()
    expect((await app.as({ id: 'zoe' }).request().get('/articles')).body.data.reader).toBe('zoe')
    expect((await app.as(null).request().get('/articles')).body.data.reader).toBe('anybody')
  })

  it('show the access of each caller in authMatrix()', async () => {
    await using app = await start({}, [Articles, Notes])
    const matrix = await app.authMatrix({
      anonymous: null,
      user: { id: 1 },
      stranger: app.with({ authorization: 'Bearer eve' }),
    })
    expect(
      matrix.rows.map(({ operation, access }) => [operation, ...Object.values(access)]),
    ).toEqual([
      ['GET /articles', 'allowed', 'allowed', 401],
      ['POST /articles', 'allowed', 'allowed', 401],
      ['GET /notes', 'allowed', 'allowed', 401],
      ['GET /notes/mine', 401, 'allowed', 401],
    ])
    await expect(app.authMatrix({ anonymous: null }, { unguarded: 'fail' })).rejects.toThrow(
      'POST /articles',
    )
  })

  it('can send generated requests to optional operations with fuzz()', async () => {
    await using app = await start()
    const report = await app.fuzz({ seed: 7, runs: 5 })
    expect(report.operations).toBe(2)
  })
})
