import {
  All,
  App,
  Auth,
  type Request as BlazonRequest,
  Can,
  Controller,
  Get,
  Post,
  Public,
} from 'blazon'
import express, { type RequestHandler } from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { exchange, request } from '../hostile/raw-connection.js'
import { AdminController, startGuarded, tokenGuard } from './app.js'

@Auth()
class GuardedBase {
  @Get()
  list() {
    return 'secret'
  }

  @Can('admin')
  @Get('admin')
  admin() {
    return 'secret'
  }
}

@Controller('plain')
class PlainChild extends GuardedBase {
  override list() {
    return 'secret of the child'
  }

  override admin() {
    return 'secret of the child'
  }
}

@Controller('routed')
class RoutedChild extends GuardedBase {
  @Get()
  override list() {
    return 'secret of the child'
  }

  @Get('admin')
  override admin() {
    return 'secret of the child'
  }

  @Public()
  @Get('open')
  open() {
    return 'open'
  }
}

@Auth()
@Controller('all')
class AllController {
  @All('any')
  any() {
    return 'secret'
  }

  @Public()
  @Get('any/open')
  open() {
    return 'open'
  }
}

@Controller('shared')
class SharedOpen {
  @Get(':id')
  open() {
    return 'open'
  }
}

@Auth()
@Controller('shared')
class SharedGuarded {
  @Get('secret')
  secret() {
    return 'secret'
  }

  @Post(':id')
  change() {
    return 'secret'
  }
}

/** Routes, and what a caller without a token gets. */
const ROUTES: readonly (readonly [method: string, path: string, status: number])[] = [
  ['GET', '/plain', 401],
  ['GET', '/plain/admin', 401],
  ['GET', '/routed', 401],
  ['GET', '/routed/admin', 401],
  ['GET', '/routed/open', 200],
  ['GET', '/all/any', 401],
  ['DELETE', '/all/any', 401],
  ['OPTIONS', '/all/any', 401],
  ['TRACE', '/all/any', 405],
  ['GET', '/all/any/open', 200],
  ['POST', '/all/any/open', 405],
  ['GET', '/shared/secret', 401],
  ['HEAD', '/shared/secret', 401],
  ['GET', '/shared/SECRET', 401],
  ['GET', '/shared/%73ecret', 401],
  ['GET', '/shared/secret/', 401],
  ['GET', '/shared/other', 200],
  ['POST', '/shared/other', 401],
  ['POST', '/shared/secret', 401],
]

describe('a guarded handler', () => {
  it('keeps its guard if it is inherited or overridden, uses @All, or follows an open route', async () => {
    const controllers = [PlainChild, RoutedChild, AllController, SharedOpen, SharedGuarded]
    const { send } = await startGuarded({ controllers })
    const found: (readonly [string, string, number | undefined])[] = []
    for (const [method, path] of ROUTES) {
      const [answer] = await send(path, [], method)
      if (answer?.status !== 200) expect(answer?.text, path).not.toContain('secret')
      found.push([method, path, answer?.status])
    }
    expect(found).toEqual(ROUTES)
  })

  it('requires the abilities of the base method even if an override does not repeat @Can', async () => {
    const { send } = await startGuarded({ controllers: [PlainChild, RoutedChild] })
    for (const path of ['/plain/admin', '/routed/admin']) {
      expect((await send(path, ['Authorization: Bearer ann']))[0]?.status, path).toBe(403)
    }
  })
})

/** Rewrites the target of a request, as middlewares of an application do. */
const rewrite =
  (from: string, to: string): RequestHandler =>
  (req, _res, next) => {
    if (req.url === from) req.url = to
    next()
  }

describe('a rewritten or mounted path', () => {
  it('is protected by the guard of the route that it leads to', async () => {
    const middlewares = [rewrite('/old', '/admin'), rewrite('/admin', '/admin/')]
    const { send } = await startGuarded({ middlewares })
    expect((await send('/old'))[0]?.status).toBe(401)
    expect((await send('/admin'))[0]?.status).toBe(401)
    expect((await send('/old', ['Authorization: Bearer ann']))[0]?.status).toBe(200)
  })

  it.each(['/x', '/admin', '/x/:id'])('keeps its guard below %s in Express', async (mount) => {
    const app = new App({
      controllers: [AdminController],
      auth: { guard: tokenGuard },
      logger: false,
    })
    await app.init()
    const host = express()
    host.use(rewrite('/secret', `${mount.replace(':id', '1')}/admin`))
    host.use(mount, app.handler)
    const server = host.listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    onTestFinished(async () => {
      server.close()
      await app.close()
    })
    const { port } = server.address() as { port: number }
    const base = mount.replace(':id', '1')
    for (const path of [
      `${base}/admin`,
      '/secret',
      `${base}//admin`,
      `${base}/%61dmin`,
      '/admin',
    ]) {
      const [answer] = await exchange(port, request(path))
      expect([401, 404], path).toContain(answer?.status)
      expect(answer?.text, path).not.toContain('secret"')
    }
    const [allowed] = await exchange(port, request(`${base}/admin`, ['Authorization: Bearer ann']))
    expect(allowed?.status).toBe(200)
  })

  it('keeps its guard in app.fetch()', async () => {
    const { app } = await startGuarded()
    for (const path of ['/admin', '/%61dmin', '/x/../admin', '/admin?authorization=Bearer%20ann']) {
      expect((await app.fetch(new Request(`http://localhost${path}`))).status, path).toBe(401)
    }
    const headers = { authorization: 'Bearer ann' }
    expect((await app.fetch(new Request('http://localhost/admin', { headers }))).status).toBe(200)
  })
})

describe('a user that a middleware sets', () => {
  it('does not count as a credential on a protected or an optional route', async () => {
    @Controller('users')
    class UsersController {
      @Auth()
      @Get('required')
      required(req: BlazonRequest) {
        return req.user
      }

      @Auth({ optional: true })
      @Get('optional')
      optional(req: BlazonRequest) {
        return req.user
      }
    }
    const middlewares: RequestHandler[] = [
      (req, _res, next) => {
        req.user = { id: 'root', roles: ['admin'] }
        next()
      },
    ]
    const { send } = await startGuarded({ controllers: [UsersController], middlewares })
    expect((await send('/users/required'))[0]?.status).toBe(401)
    expect((await send('/users/optional'))[0]?.status).toBe(401)
    const [answer] = await send('/users/optional', ['Authorization: Bearer ann'])
    expect(JSON.parse(answer?.text ?? '').data).toEqual({ id: 'ann' })
  })
})
