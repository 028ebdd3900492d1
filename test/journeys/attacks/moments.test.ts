import {
  type AppOptions,
  Auth,
  type AuthGuard,
  Can,
  Checks,
  Controller,
  Get,
  Post,
  policy,
  type Request,
  schemeOf,
} from 'blazon'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { gate } from '../gate.js'
import { start } from '../hostile/listening-app.js'
import { exchange, post, RawConnection, request } from '../hostile/raw-connection.js'

/** Waits for the turns that a header names, so that requests overtake each other. */
function slowGuard(header: string): AuthGuard {
  return {
    credentials: [header],
    async canActivate(req: Request) {
      const [state, id, turns] = String(req.headers[header]).split(' ')
      for (let turn = 0; turn < Number(turns ?? 0); turn++) await new Promise(setImmediate)
      req.user = { id, roles: id === 'root' ? ['admin'] : [] }
      return state === 'right'
    },
  }
}

const guards = { one: slowGuard('x-one'), two: slowGuard('x-two') }

class Order {
  constructor(
    readonly owner: string,
    readonly kind: string,
  ) {}
}
/** Users of two guards may have the same id, so the policy compares the guard, too. */
const OrderPolicy = policy(Order, {
  read: (user, order) => user.id === order.owner && user['kind'] === order.kind,
})

@Auth('one', 'two')
@Controller('me')
class MeController {
  @Get()
  me(req: Request) {
    return { id: req.user?.id, by: schemeOf(req) }
  }

  @Post('', { body: z.record(z.string(), z.unknown()) })
  change(req: Request) {
    Object.assign(req.user as object, req.body)
    return { id: req.user?.id }
  }

  @Can('admin')
  @Get('admin')
  admin() {
    return 'secret'
  }

  @Checks(OrderPolicy, 'read')
  @Get('order/:kind')
  order(req: Request) {
    return OrderPolicy.load(req, 'read', () => new Order('7', String(req.params.kind)))
  }
}

const startMe = (options: AppOptions = {}) =>
  start({ controllers: [MeController], auth: { guards }, ...options })

describe('requests of several callers', () => {
  it('keep their own callers on one connection, however long each guard takes', async () => {
    const { port } = await startMe()
    const connection = await RawConnection.open(port)
    const keep = 'Connection: keep-alive'
    const sent: readonly (readonly string[])[] = [
      ['X-One: right a 9'],
      ['X-Two: right b 0'],
      [],
      ['X-One: right c 5', 'X-Two: right d 9'],
      ['X-One: right e 3', 'X-Two: wrong f 7'],
      ['X-Two: right g 1'],
      ['X-One: wrong h 2'],
      ['X-One: right i 0'],
    ]
    connection.write(sent.map((lines) => request('/me', [keep, ...lines])).join(''))
    const answers = await connection.answers(sent.length)
    connection.destroy()
    const found = answers.map(({ status, text }) =>
      status === 200 ? Object.values(JSON.parse(text).data).join() : status,
    )
    expect(found).toEqual(['a,one', 'b,two', 401, 'c,one', 401, 'g,two', 401, 'i,one'])
  })

  it('keep their own callers on hundreds of concurrent connections', async () => {
    const { port } = await startMe()
    const one = async (n: number) => {
      const header = n % 2 === 0 ? 'X-One' : 'X-Two'
      const state = n % 5 === 0 ? 'wrong' : 'right'
      const [answer] = await exchange(port, request('/me', [`${header}: ${state} u${n} ${n % 7}`]))
      return answer?.status === 200 ? JSON.parse(answer.text).data.id : answer?.status
    }
    const found = await Promise.all(Array.from({ length: 300 }, (_, n) => one(n)))
    expect(found).toEqual(found.map((_, n) => (n % 5 === 0 ? 401 : `u${n}`)))
  })
})

describe('a credential in an unusual part of the message', () => {
  it.each<[string, string]>([
    [
      'trailers',
      request(
        '/me',
        ['Transfer-Encoding: chunked', 'Trailer: X-One', 'Content-Type: application/json'],
        {
          method: 'POST',
          body: '2\r\n{}\r\n0\r\nX-One: right root\r\n\r\n',
        },
      ),
    ],
    ['the body', post('/me', '{"x-one":"right root"}')],
    ['the query', request('/me?x-one=right%20root&X-One=right')],
    ['a header with an underscore', request('/me', ['X_One: right root'])],
    ['a header in a folded line', request('/me', ['X-Other: a\r\n X-One: right root'])],
    ['a header after a bare line feed', request('/me', ['X-Other: a\nX-One: right root'])],
    ['a header after a bare carriage return', request('/me', ['X-Other: a\rX-One: right root'])],
    ['a fragment', request('/me#X-One: right root')],
    ['the user part of the URL', request('http://right:root@localhost/me')],
    [
      'the version line',
      'GET /me HTTP/1.1 X-One: right\r\nHost: localhost\r\nConnection: close\r\n\r\n',
    ],
  ])('is ignored in %s', async (_, bytes) => {
    const { port } = await startMe()
    const answers = await exchange(port, bytes)
    expect(answers.length).toBeGreaterThan(0)
    for (const { status, text } of answers) {
      expect([400, 401]).toContain(status)
      expect(text).not.toContain('root"')
    }
  })
})

describe('the user of a request', () => {
  it('gains no permissions through property names in a body, in this or a later request', async () => {
    const { port } = await startMe()
    const bodies = [
      '{"__proto__":{"roles":["admin"]}}',
      '{"constructor":{"prototype":{"roles":["admin"]}}}',
      '{"roles":["admin"]}',
    ]
    for (const body of bodies) {
      const [answer] = await exchange(port, post('/me', body, ['X-One: right a']))
      expect([200, 400], body).toContain(answer?.status)
      const [next] = await exchange(port, request('/me/admin', ['X-One: right a']))
      expect(next?.status, body).toBe(403)
      expect(({} as { roles?: unknown }).roles).toBeUndefined()
    }
    const [root] = await exchange(port, request('/me/admin', ['X-One: right root']))
    expect(root?.status).toBe(200)
  })

  it('differs from a user who has the same ID under another guard, if a policy checks the guard', async () => {
    const kinded = (name: 'one' | 'two'): AuthGuard => ({
      ...guards[name],
      async canActivate(req: Request) {
        const verdict = await guards[name].canActivate(req)
        req.user = { ...req.user, kind: name }
        return verdict
      },
    })
    const auth = { guards: { one: kinded('one'), two: kinded('two') } }
    const { port } = await startMe({ auth })
    const status = async (kind: string, line: string) =>
      (await exchange(port, request(`/me/order/${kind}`, [line])))[0]?.status
    expect(await status('one', 'X-One: right 7')).toBe(200)
    expect(await status('two', 'X-One: right 7')).toBe(403)
    expect(await status('one', 'X-Two: right 7')).toBe(403)
    expect(await status('two', 'X-Two: right 7')).toBe(200)
  })
})

describe('a guard that never decides', () => {
  it('protects the metrics, and the request is ended by the handler timeout', async () => {
    const opened = gate()
    const late: AuthGuard = {
      async canActivate() {
        await opened.opened
        return true
      },
    }
    const { port, logged } = await startMe({
      metrics: { guard: late },
      timeouts: { handler: '200ms' },
    })
    const [answer] = await exchange(port, request('/metrics'))
    expect(answer?.status).toBe(503)
    expect(answer?.text).not.toContain('http_server')
    const { length } = logged
    opened.open()
    await new Promise(setImmediate)
    expect((await exchange(port, request('/metrics')))[0]?.text).toContain('http_server')
    expect(logged).toHaveLength(length)
  })
})
