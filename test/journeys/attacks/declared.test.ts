import {
  App,
  type AppOptions,
  Auth,
  type AuthGuard,
  Can,
  Controller,
  Get,
  Post,
  Public,
  type Request,
  standardWebhooks,
  UnauthorizedError,
  Webhook,
} from 'blazon'
import express from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { start } from '../hostile/listening-app.js'
import { exchange, post, request } from '../hostile/raw-connection.js'

function guardOf(header: string): AuthGuard {
  return {
    credentials: [header],
    canActivate(req: Request) {
      req.user = { id: header }
      return req.headers[header] === 'right'
    },
  }
}

const guards = { one: guardOf('x-one'), two: guardOf('x-two') }
const ONE = 'X-One: right'
const TWO = 'X-Two: right'

@Auth('two')
class Base {
  @Get('plain')
  plain() {
    return 'secret'
  }

  @Auth('one')
  @Get('own')
  own() {
    return 'secret'
  }

  @Can('admin')
  @Get('can')
  can() {
    return 'secret'
  }

  @Public()
  @Get('open')
  open() {
    return 'open'
  }
}

/** Overrides without decorators of access, also under other paths. */
@Controller('silent')
class Silent extends Base {
  @Get('plain-2')
  override plain() {
    return 'secret'
  }

  override own() {
    return 'secret'
  }

  @Get('can-2')
  override can() {
    return 'secret'
  }
}

/** Another guard on the class; overrides that state access again. */
@Auth('one', 'two')
@Controller('loud')
class Loud extends Base {
  @Auth('two')
  override own() {
    return 'secret'
  }

  @Auth('one')
  override open() {
    return 'secret'
  }
}

/** Each route, and the status without a credential, with `X-One` and with `X-Two`. */
const ROUTES: readonly (readonly [string, number, number, number])[] = [
  ['/v1/silent/plain', 404, 404, 404],
  ['/v1/silent/plain-2', 401, 401, 200],
  ['/v1/silent/own', 401, 200, 401],
  ['/v1/silent/can', 404, 404, 404],
  ['/v1/silent/can-2', 401, 401, 403],
  ['/v1/silent/open', 200, 200, 200],
  ['/v1/loud/plain', 401, 200, 200],
  ['/v1/loud/own', 401, 401, 200],
  ['/v1/loud/can', 401, 403, 403],
  ['/v1/loud/open', 401, 200, 401],
  ['/silent/plain-2', 404, 404, 404],
  ['/v1//silent/plain-2', 404, 404, 404],
  ['/V1/SILENT/plain-2/', 401, 401, 200],
  ['/%761/silent/plain-2', 401, 401, 200],
  ['/v1/../v1/silent/plain-2', 404, 404, 404],
  ['/v1%2fsilent/plain-2', 404, 404, 404],
]
const options: AppOptions = { controllers: [Silent, Loud], auth: { guards }, prefix: 'v1' }

describe('inherited and overriding methods behind named guards, below a prefix', () => {
  async function statuses(port: number, before = '') {
    const found: (readonly [string, ...(number | undefined)[]])[] = []
    for (const [path] of ROUTES) {
      const row: (number | undefined)[] = []
      for (const lines of [[], [ONE], [TWO]]) {
        const [answer] = await exchange(port, request(before + path, lines))
        if (answer?.status !== 200) expect(answer?.text, path).not.toContain('secret"')
        row.push(answer?.status)
      }
      found.push([path, ...row])
    }
    return found
  }

  it('use the guards that the nearest decorator names', async () => {
    const { port } = await start(options)
    expect(await statuses(port)).toEqual(ROUTES)
  })

  it('use the same guards in an application that is mounted in Express', async () => {
    const app = new App({ ...options, logger: false })
    await app.init()
    const host = express().use('/mount', app.handler)
    const server = host.listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    onTestFinished(async () => {
      server.close()
      await app.close()
    })
    const { port } = server.address() as { port: number }
    expect(await statuses(port, '/mount')).toEqual(ROUTES)
  })

  it('use the same guards in app.fetch()', async () => {
    const { app } = await start(options)
    for (const [path, nobody, one, two] of ROUTES) {
      // A URL has no `..`, so the client itself has removed it.
      if (path.includes('..')) continue
      const status = async (headers: Record<string, string>) =>
        (await app.fetch(new globalThis.Request(`http://localhost${path}`, { headers }))).status
      expect([
        path,
        await status({}),
        await status({ 'x-one': 'right' }),
        await status({ 'x-two': 'right' }),
      ]).toEqual([path, nobody, one, two])
    }
  })
})

describe('a webhook request', () => {
  it('runs no handler without a valid signature, even with a valid credential', async () => {
    let ran = 0
    const secrets = [`whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`]

    @Controller('hooks')
    class HooksController {
      @Auth('one')
      @Webhook(standardWebhooks(secrets))
      @Post('guarded')
      guarded() {
        ran++
      }

      @Public()
      @Webhook(standardWebhooks(secrets))
      @Post('open')
      open() {
        ran++
      }
    }
    const { port } = await start({
      controllers: [HooksController],
      auth: { guards, default: 'protected' },
    })
    const forged = [
      'webhook-id: m1',
      `webhook-timestamp: ${Math.floor(Date.now() / 1000)}`,
      `webhook-signature: v1,${Buffer.alloc(32).toString('base64')}`,
    ]
    for (const lines of [[], [ONE], forged, [ONE, ...forged]]) {
      for (const path of ['/hooks/guarded', '/hooks/open']) {
        const [answer] = await exchange(port, post(path, '{}', lines))
        expect([400, 401], `${path} ${lines}`).toContain(answer?.status)
      }
    }
    expect(ran).toBe(0)
  })
})

describe('an authentication challenge', () => {
  it('cannot be ended or extended by a string from the client', async () => {
    const echo: AuthGuard = {
      canActivate(req: Request) {
        const challenge = `Bearer realm="${decodeURIComponent(String(req.query['realm']))}"`
        throw new UnauthorizedError('no', { headers: { 'WWW-Authenticate': challenge } })
      },
    }
    const { port } = await start({
      controllers: [Loud],
      auth: { guards: { one: echo, two: echo }, credentials: ['x-one'] },
    })
    for (const realm of [
      '%250d%250aSet-Cookie:%20a=b',
      '%0aSet-Cookie:%20a=b',
      '%2500',
      '%25e2%2580%25a8',
    ]) {
      const [answer] = await exchange(port, request(`/loud/plain?realm=${realm}`, [ONE]))
      expect(answer?.status, realm).toBe(401)
      expect(answer?.headers['set-cookie'], realm).toBeUndefined()
      expect(answer?.headers['www-authenticate'] ?? '', realm).not.toMatch(/[^ -~]/)
    }
  })
})
