import {
  ApiResponseDoc,
  Auth,
  Cache,
  Can,
  Controller,
  Get,
  type Request,
  visibilityOf,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { ALL, guard, PAYROLL } from './staff-app.js'

const Row = z.object({
  id: z.int(),
  salary: z.int().meta({ visibleTo: PAYROLL }).optional(),
  note: z
    .string()
    .meta({ visibleTo: ['b', 'a'] })
    .optional(),
})
const ROW = { id: 1, salary: 7, note: 'x' }
let calls = 0
let seen: unknown

@Auth({ optional: true })
@Controller()
class Rows {
  @ApiResponseDoc({ status: 200, schema: Row })
  @Get('row')
  row(req: Request) {
    seen = visibilityOf(req)
    return ROW
  }

  @Auth()
  @ApiResponseDoc({ status: 200, schema: Row })
  @Get('protected')
  protected() {
    return ROW
  }

  @Auth()
  @Can(PAYROLL)
  @ApiResponseDoc({ status: 200, schema: Row })
  @Get('can')
  can() {
    return ROW
  }

  @Cache({ ttl: '1m', shared: true })
  @ApiResponseDoc({ status: 200, schema: Row })
  @Get('shared')
  shared() {
    calls++
    return ROW
  }

  @Cache({ ttl: '1m', shared: true, key: () => 'one key' })
  @ApiResponseDoc({ status: 200, schema: Row })
  @Get('own-key')
  ownKey() {
    calls++
    return ROW
  }

  @Cache({ ttl: '1m' })
  @ApiResponseDoc({ status: 200, schema: Row })
  @Get('cached')
  cached() {
    calls++
    return ROW
  }

  @ApiResponseDoc({ status: 200, schema: z.object({ id: z.int() }) })
  @Get('plain')
  plain(req: Request) {
    seen = visibilityOf(req)
    return { id: 1 }
  }
}

async function rows(options: object = {}) {
  const app = await TestApp.create({
    controllers: [Rows],
    auth: { guard },
    envelope: false,
    ...options,
  })
  onTestFinished(() => app.close())
  return app
}

function with_(app: TestApp, token: string | null) {
  return (token === null ? app : app.with({ authorization: `Bearer ${token}` })).request()
}

describe('the abilities for a field with `visibleTo`', () => {
  it('are compared with the abilities of req.user, and all abilities in a list are required', async () => {
    const app = await rows()
    const bodies = await Promise.all(
      [null, 'a', 'b', 'a+b', PAYROLL].map(
        async (token) => (await with_(app, token).get('/row')).body,
      ),
    )
    const { salary: _, ...noSalary } = ROW
    const { note: __, ...noNote } = ROW
    expect(bodies).toEqual([{ id: 1 }, { id: 1 }, { id: 1 }, noSalary, noNote])
  })

  it('can be roles', async () => {
    const app = await rows()
    const { body } = await app
      .as({ roles: [PAYROLL] })
      .request()
      .get('/row')
    expect(body).toEqual({ id: 1, salary: 7 })
    const text = await app
      .as({ permissions: PAYROLL } as never)
      .request()
      .get('/row')
    expect(text.body).toEqual({ id: 1 })
  })

  it.each([
    [
      'synchronously',
      (user: { id?: unknown } | undefined, abilities: readonly string[]) =>
        user?.id === 'x' && abilities.includes(PAYROLL),
    ],
    [
      'asynchronously',
      async (user: { id?: unknown } | undefined, abilities: readonly string[]) =>
        user?.id === 'x' && abilities.includes(PAYROLL),
    ],
  ])('are decided by auth.can, %s', async (_, can) => {
    const app = await rows({ auth: { guard, can } })
    expect((await with_(app, 'x').get('/row')).body).toEqual({ id: 1, salary: 7 })
    expect((await with_(app, ALL).get('/row')).body).toEqual({ id: 1 })
    expect((await with_(app, null).get('/row')).body).toEqual({ id: 1 })
  })

  it.each([['yes'], [1], [{}], [Promise.resolve('true')], [undefined]])(
    'are not granted if auth.can returns %s',
    async (verdict) => {
      const app = await rows({ auth: { guard, can: () => verdict } })
      expect((await with_(app, ALL).get('/row')).body).toEqual({ id: 1 })
    },
  )

  it('are not evaluated for an anonymous request', async () => {
    const asked: unknown[] = []
    const can = (user: { name: string }, abilities: readonly string[]) => {
      asked.push([user.name, abilities])
      return true
    }
    const app = await rows({ auth: { guard, can } })
    expect((await with_(app, null).get('/row').expect(200)).body).toEqual({ id: 1 })
    expect(asked).toEqual([])
    expect((await with_(app, 'none').get('/row').expect(200)).body).toEqual(ROW)
    expect(asked).toHaveLength(2)
  })

  it('are evaluated if a guard admits callers without a user', async () => {
    const silent = { canActivate: () => true }
    const can = (_: unknown, __: unknown, req: Request) => req.get('x-key') === 'k'
    const app = await rows({ auth: { guard: silent, can } })
    expect((await app.request().get('/protected')).body).toEqual({ id: 1 })
    expect((await app.request().get('/protected').set('x-key', 'k')).body).toEqual(ROW)
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('the service is gone')
      },
    ],
    ['rejects', () => Promise.reject(new Error('the service is gone'))],
    [
      'throws for one mark only',
      (_: unknown, abilities: readonly string[]) => {
        if (abilities.length > 1) throw new Error('the service is gone')
        return Promise.reject(new Error('the service is gone'))
      },
    ],
  ])('make the request fail if their evaluation %s', async (_, can) => {
    const app = await rows({ auth: { guard, can } })
    const { status, text } = await with_(app, ALL).get('/row')
    expect(status).toBe(500)
    expect(text).not.toContain('salary')
    await with_(app, ALL).get('/plain').expect(200)
  })

  it('are also evaluated on a route with @Can', async () => {
    const app = await rows()
    await with_(app, 'none').get('/can').expect(403)
    expect((await with_(app, PAYROLL).get('/can')).body).toEqual({ id: 1, salary: 7 })
  })

  it('can be read by the handler', async () => {
    const app = await rows()
    await with_(app, 'a+b').get('/row')
    expect(seen).toEqual([['a', 'b']])
    await with_(app, null).get('/row')
    expect(seen).toEqual([])
    await with_(app, ALL).get('/plain')
    expect(seen).toBeUndefined()
  })
})

describe('the @Cache decorator with audiences', () => {
  it.each(['shared', 'own-key', 'cached'])(
    'stores the responses of /%s separately for each audience',
    async (path) => {
      const app = await rows({ cache: {} })
      const anonymous = path === 'cached' ? 'none' : null
      calls = 0
      for (const token of [PAYROLL, anonymous, PAYROLL, anonymous, 'a+b', 'b+a', anonymous]) {
        const { body } = await with_(app, token).get(`/${path}`).expect(200)
        expect('salary' in body).toBe(token === PAYROLL)
        expect('note' in body).toBe(token === 'a+b' || token === 'b+a')
      }
      expect(calls).toBe(path === 'cached' ? 4 : 3)
      const head = await with_(app, anonymous).head(`/${path}`).expect(200)
      const get = await with_(app, anonymous).get(`/${path}`).expect(200)
      expect(head.headers['content-length']).toBe(get.headers['content-length'])
      expect(get.body).toEqual({ id: 1 })
    },
  )

  it('never sends one caller the response that was created for another audience', async () => {
    const app = await rows({ cache: {} })
    const tokens = [PAYROLL, null, PAYROLL, null, 'a+b', null]
    const bodies = await Promise.all(
      tokens.map(async (token) => (await with_(app, token).get('/shared')).body),
    )
    expect(bodies.map((body) => 'salary' in body)).toEqual(tokens.map((token) => token === PAYROLL))
  })

  it('also separates tenants', async () => {
    const app = await rows({ cache: {}, tenant: { required: false } })
    calls = 0
    for (const [tenant, token] of [
      ['acme', PAYROLL],
      ['globex', null],
      ['acme', null],
      ['globex', PAYROLL],
    ] as const) {
      const { body } = await with_(app, token).get('/shared').set('x-tenant-id', tenant).expect(200)
      expect('salary' in body).toBe(token === PAYROLL)
    }
    expect(calls).toBe(4)
  })
})
