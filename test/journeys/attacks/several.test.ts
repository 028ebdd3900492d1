import { connect } from 'node:net'
import {
  type AppOptions,
  Auth,
  type AuthGuard,
  Controller,
  ForbiddenError,
  Get,
  HttpError,
  Post,
  Public,
  type Request,
  Sse,
  schemeOf,
  Upload,
  Use,
} from 'blazon'
import { keyIdOf, setKeyId } from 'blazon/plugin'
import express, { type ErrorRequestHandler, type RequestHandler } from 'express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { gate } from '../gate.js'
import { start } from '../hostile/listening-app.js'
import { exchange, RawConnection, request } from '../hostile/raw-connection.js'
import { AdminController } from './app.js'
import { METHODS, PATHS } from './spellings.js'

/** Lets `right <id>` in a header in. */
function guardOf(header: string): AuthGuard {
  return {
    credentials: [header],
    challenge: header,
    async canActivate(req: Request) {
      const [state, id] = String(req.headers[header]).split(' ')
      await Promise.resolve()
      req.user = { id, roles: ['admin'] }
      setKeyId(req, 'key')
      return state === 'right'
    },
  }
}

/** The same, with a tenant that cannot be read. */
const failing = (guard: AuthGuard): AuthGuard => ({
  ...guard,
  tenantOf() {
    throw new Error('no tenant')
  },
})

/** The same, which refuses at once. */
const sync = (guard: AuthGuard): AuthGuard => ({
  ...guard,
  canActivate(req: Request) {
    req.user = { id: 'nobody' }
    setKeyId(req, 'key')
    return false
  },
})

const guards = { one: guardOf('x-one'), two: guardOf('x-two') }

async function startSeveral(options: AppOptions = {}) {
  const site = await start({ controllers: [BothController], auth: { guards }, ...options })
  const send = async (target: string, lines: readonly string[] = [], method = 'GET') => {
    const options = { isHead: method === 'HEAD' }
    return (await exchange(site.port, request(target, lines, { method }), options))[0]
  }
  return { ...site, send }
}

let ran = 0

@Auth('one', 'two')
@Controller('admin')
class BothController {
  @Get()
  secret(req: Request) {
    ran++
    return { secret: schemeOf(req) }
  }

  @Post()
  change() {
    ran++
    return 'secret'
  }

  @Get('items/:id')
  item() {
    return 'secret'
  }

  @Auth('two')
  @Get('two')
  two() {
    ran++
    return 'secret'
  }

  @Public()
  @Get('open')
  open(req: Request) {
    return { user: req.user ?? null, scheme: schemeOf(req) ?? null }
  }
}

const RIGHT = 'X-One: right 1'
/** Sets of credentials of which none lets its sender in. */
const WRONG: readonly (readonly string[])[] = [
  [],
  ['X-One: wrong'],
  [RIGHT, 'X-Two: wrong'],
  ['X-Two:', RIGHT],
]

describe('a request with missing or wrong credentials to a route with several guards', () => {
  it('is refused for every spelling of the path', async () => {
    const { send } = await startSeveral()
    for (const lines of WRONG) {
      const found: Record<string, number | undefined> = {}
      for (const path of Object.keys(PATHS)) {
        const answer = await send(Buffer.from(path).toString('latin1'), lines)
        found[path] = answer?.status
        expect(answer?.text, path).not.toContain('secret')
      }
      expect(found, lines.join()).toEqual(PATHS)
    }
    for (const [path, status] of Object.entries(PATHS)) {
      const answer = await send(Buffer.from(path).toString('latin1'), [RIGHT])
      expect(answer?.status, path).toBe(status === 401 ? 200 : status)
    }
  })

  it('is refused for every method, even if a header names another method or path', async () => {
    const { send } = await startSeveral()
    for (const lines of WRONG) {
      const found: Record<string, number | undefined> = {}
      for (const method of Object.keys(METHODS)) {
        found[method] = (await send('/admin', lines, method))?.status
      }
      expect(found, lines.join()).toEqual(METHODS)
      for (const line of ['X-HTTP-Method-Override: OPTIONS', 'X-Original-URL: /admin/open']) {
        expect((await send('/admin', [...lines, line]))?.status, line).toBe(401)
      }
    }
  })

  it('is refused even if a middleware rewrites its path or its method', async () => {
    const rewrite: RequestHandler = (req, _res, next) => {
      if (req.url === '/old') req.url = '/admin'
      if (req.query['_method'] !== undefined) req.method = String(req.query['_method'])
      next()
    }
    const { send } = await startSeveral({ middlewares: [rewrite] })
    for (const lines of WRONG) {
      expect((await send('/old', lines))?.status).toBe(401)
      expect((await send('/admin?_method=POST', lines))?.status).toBe(401)
      expect((await send('/admin?_method=get', lines))?.status).toBe(405)
    }
  })
})

describe('an upgrade request', () => {
  const lines = [
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  ]

  it('is checked by the guards like any other request if no upgrade handler exists', async () => {
    const { port } = await startSeveral()
    const statuses = async (more: readonly string[]) => {
      const connection = await RawConnection.open(port)
      connection.write(request('/admin', [...lines, ...more]))
      const answers = await connection.answers(1)
      connection.destroy()
      return answers.map(({ status }) => status)
    }
    for (const wrong of WRONG) expect(await statuses(wrong), wrong.join()).toEqual([401])
    expect(await statuses([RIGHT])).toEqual([200])
    for (const protocol of ['h2c', 'HTTP/2.0', 'TLS/1.0', 'websocket, h2c']) {
      const other = ['Connection: Upgrade, HTTP2-Settings', `Upgrade: ${protocol}`]
      const connection = await RawConnection.open(port)
      connection.write(request('/admin', [...other, 'HTTP2-Settings: AAMAAABkAAQAAP__']))
      expect((await connection.answers(1)).map(({ status }) => status)).toEqual([401])
      connection.destroy()
    }
  })

  it('reaches no route, whatever its credentials are, if the program handles upgrades', async () => {
    const { app, port } = await startSeveral()
    const taken: (string | undefined)[] = []
    app.server.on('upgrade', (req, socket) => {
      taken.push(req.url)
      socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
    })
    ran = 0
    for (const more of [...WRONG, [RIGHT], [RIGHT, 'X-Two: right 2']]) {
      // What follows the upgrade is not a request any more.
      const bytes = request('/admin', [...lines, ...more]) + request('/admin', [RIGHT])
      expect((await exchange(port, bytes)).map(({ status }) => status)).toEqual([400])
    }
    expect([ran, taken.length]).toEqual([0, WRONG.length + 2])
  })
})

describe('a slow guard', () => {
  const waiting = (until: Promise<unknown>): AuthGuard => ({
    credentials: ['x-two'],
    async canActivate() {
      await until
      return true
    },
  })

  it('admits no request that has timed out or was aborted', async () => {
    const [opened, asked] = [gate(), gate()]
    const slow: AuthGuard = {
      ...waiting(opened.opened),
      canActivate(req) {
        asked.open()
        return waiting(opened.opened).canActivate(req)
      },
    }
    const { send, port } = await startSeveral({
      auth: { guards: { ...guards, two: slow } },
      timeouts: { handler: '200ms' },
    })
    ran = 0
    const gone = connect(port, '127.0.0.1')
    gone.write(request('/admin', [RIGHT, 'X-Two: a'], { method: 'POST' }))
    await asked.opened
    gone.destroy()
    expect((await send('/admin', [RIGHT, 'X-Two: a']))?.status).toBe(503)
    opened.open()
    expect((await send('/admin', [RIGHT]))?.status).toBe(200)
    // Only the last request: the guard has let the others in too late.
    expect(ran).toBe(1)
  })
})

describe('a failed request', () => {
  /** Values that a guard may throw although Express would read them as leave to go on. */
  const THROWN: readonly unknown[] = [undefined, null, 0, '', 'route', 'router', false, {}]
  const ODD_STATUS: readonly unknown[] = [
    Object.assign(new Error('odd'), { status: 200, statusCode: 200, expose: true }),
    Object.assign(new ForbiddenError('odd'), { status: 204 }),
    Object.assign(new HttpError(401, 'odd'), { headers: { 'Set-Cookie': 'a=b\r\nX: y' } }),
  ]

  it('is not admitted, whatever value the second guard throws', async () => {
    let thrown: unknown
    const two: AuthGuard = {
      credentials: ['x-two'],
      async canActivate() {
        throw thrown
      },
    }
    const goOn: ErrorRequestHandler = (_error, _req, _res, next) => next()
    for (const middlewares of [[], [goOn]]) {
      const { send } = await startSeveral({ auth: { guards: { ...guards, two } }, middlewares })
      ran = 0
      for (thrown of [...THROWN, ...ODD_STATUS]) {
        const answer = await send('/admin', [RIGHT, 'X-Two: a'])
        expect([401, 403, 404, 500], String(thrown)).toContain(answer?.status)
        expect(answer?.text).not.toContain('secret')
        expect(answer?.headers['x']).toBeUndefined()
      }
      expect(ran).toBe(0)
    }
  })

  it.each<[string, NonNullable<AppOptions['auth']>]>([
    ['several guards', { guards }],
    ['one guard', { guards }],
    ['one guard with a tenant that fails', { guards: { ...guards, two: failing(guards.two) } }],
    ['one synchronous guard', { guards: { ...guards, two: sync(guards.two) } }],
  ])('has no user or key in error middlewares, and calls no handler: %s', async (title, auth) => {
    const seen: unknown[] = []
    const look: ErrorRequestHandler = (error, req, _res, next) => {
      const own = req as unknown as Request
      seen.push(error.status, own.user, keyIdOf(own), schemeOf(own))
      req.url = '/admin/open'
      next()
    }
    const { send } = await startSeveral({ auth, middlewares: [look] })
    ran = 0
    const path = title === 'several guards' ? '/admin' : '/admin/two'
    const state = title.endsWith('fails') ? 'right' : 'wrong'
    expect((await send(path, [RIGHT, `X-Two: ${state} 2`]))?.status).toBe(404)
    expect([ran, seen]).toEqual([0, [401, undefined, undefined, undefined]])
  })

  it('calls no other handler if a middleware fails or skips the route after the guard', async () => {
    const broken: RequestHandler = (_req, _res, next) => next(new Error('after the guard'))
    const skipping: RequestHandler = (_req, _res, next) => next('route')
    const called: string[] = []

    @Auth('one')
    @Controller('after')
    class AfterController {
      @Use(broken)
      @Get('failing')
      failing() {
        called.push('failing')
      }

      @Use(skipping)
      @Get('skipping')
      skipping() {
        called.push('skipping')
      }

      @Public()
      @Get(':any')
      any() {
        called.push('any')
        return 'any'
      }
    }
    const goOn: ErrorRequestHandler = (_error, _req, _res, next) => next()
    const controllers = [AfterController]
    const { send } = await startSeveral({ controllers, middlewares: [goOn] })
    for (const path of ['/after/failing', '/after/skipping']) {
      for (const lines of [[], [RIGHT]]) expect((await send(path, lines))?.status).not.toBe(200)
    }
    expect(called).toEqual([])
  })
})

describe('a request to a route behind several guards', () => {
  it('opens no stream, reads no form and runs no router with missing or wrong credentials', async () => {
    const begun: string[] = []
    const router = express.Router()
    router.use((_req, _res, next) => {
      begun.push('router')
      next()
    })

    @Auth('one', 'two')
    @Controller('parts')
    class PartsController {
      @Sse(z.object({ secret: z.string() }))
      @Get('stream')
      async *stream() {
        begun.push('stream')
        yield { secret: 'secret' }
      }

      @Upload({ title: z.string() })
      @Post('upload')
      upload() {
        begun.push('upload')
      }

      @Use(router)
      @Get('router')
      router() {
        begun.push('handler')
      }
    }
    const { port, send } = await startSeveral({ controllers: [PartsController, AdminController] })
    for (const lines of WRONG) {
      expect((await send('/parts/stream', [...lines, 'Accept: text/event-stream']))?.status).toBe(
        401,
      )
      expect((await send('/parts/router', lines))?.status).toBe(401)
      const form = [
        'Content-Type: multipart/form-data; boundary=x',
        'Content-Length: 1000000',
        'Expect: 100-continue',
      ]
      const bytes = request('/parts/upload', [...lines, ...form], { method: 'POST' })
      expect((await exchange(port, bytes)).map(({ status }) => status)).toEqual([401])
    }
    expect(begun).toEqual([])
  })
})
