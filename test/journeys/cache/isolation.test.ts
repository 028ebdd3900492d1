import {
  Auth,
  type AuthGuard,
  BaseController,
  Cache,
  Controller,
  Get,
  type Request,
  type Response,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, expect, it } from 'vitest'
import { nameTenant } from './support.js'

// This test sends hundreds of requests.

class NameGuard implements AuthGuard {
  async canActivate(req: Request) {
    const id = req.get('authorization')?.replace('Bearer ', '')
    await pause(req)
    req.user = { id }
    return id !== undefined
  }
}

/** Waits as many turns as the request has in a header, so that requests end in another order than they began. */
async function pause(req: Request): Promise<void> {
  for (let turn = 0; turn < Number(req.get('x-turns')); turn++) await new Promise(setImmediate)
}

/** Everything in the request that the response depends on. */
const seen = (req: Request) => ({
  tenant: req.get('x-tenant-id') ?? 'nobody',
  user: req.user?.id ?? 'nobody',
  credentials: `${req.get('authorization') ?? ''} ${req.get('cookie') ?? ''}`.trim(),
  id: req.params.id,
  query: req.query.q,
})

@Controller()
class MirrorController extends BaseController {
  @Cache({ ttl: 1, staleWhileRevalidate: 1, tags: ['all'] })
  @Get('open/:id')
  async open(req: Request) {
    await pause(req)
    return seen(req)
  }

  @Auth()
  @Cache({ ttl: 1, staleWhileRevalidate: 1 })
  @Get('mine/:id')
  async mine(req: Request, res: Response) {
    await pause(req)
    return this.ok(res, 'Mine', seen(req))
  }
}

let app: TestApp
afterEach(() => app.close())

/** Numbers that look random and are the same in every run (a linear congruence). */
function randomFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

it('the cache never sends a response to a caller with another user, tenant or credential', async () => {
  app = await TestApp.create({
    controllers: [MirrorController],
    auth: { guard: new NameGuard() },
    middlewares: [nameTenant],
  })
  await app.clock.advance(0)
  const random = randomFrom(7)
  const pick = <T>(...list: T[]) => list[random(list.length)] as T
  const states = new Map<string, number>()

  async function ask() {
    const tenant = pick('a', 'a:b', 'b', undefined)
    const user = pick('1', '2', undefined)
    const cookie = pick(undefined, undefined, 'sid=1')
    const [path, id, query] = [pick('open', 'mine'), pick('1', 'b:1'), pick('x', 'y')]
    const headers: Record<string, string> = {
      'x-turns': String(random(6)),
      host: pick('one.example', 'two.example'),
      'accept-language': pick('en', 'de'),
    }
    if (tenant !== undefined) headers['x-tenant-id'] = tenant
    if (user !== undefined) headers['authorization'] = `Bearer ${user}`
    if (cookie !== undefined) headers['cookie'] = cookie
    const url = `/${path}/${id}?q=${query}`
    if (random(10) === 0) {
      const head = await app.request().head(url).set(headers)
      expect(head.text).toBeFalsy()
      return
    }
    const answer = await app.request().get(url).set(headers)
    if (path === 'mine' && user === undefined) return expect(answer.status).toBe(401)
    const state = String(answer.headers['x-cache'])
    states.set(state, (states.get(state) ?? 0) + 1)
    const { credentials, ...made } = answer.body.data
    const isProtected = path === 'mine'
    expect(made).toEqual({
      tenant: tenant ?? 'nobody',
      user: isProtected ? user : 'nobody',
      id,
      query,
    })
    // A public route receives the credentials, so its response must belong to the request with these credentials.
    const own = `${headers['authorization'] ?? ''} ${cookie ?? ''}`.trim()
    if (!isProtected) expect(credentials).toBe(own)
  }

  for (let round = 0; round < 15; round++) {
    await Promise.all(Array.from({ length: 40 }, ask))
    await app.clock.advance(pick('100ms', '900ms', '1100ms', '2s'))
  }
  // Check that all cache states have occurred.
  for (const state of ['HIT', 'MISS', 'STALE', 'BYPASS']) {
    expect(states.get(state), state).toBeGreaterThan(10)
  }
})
