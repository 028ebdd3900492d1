import {
  App,
  Auth,
  type AuthGuard,
  Controller,
  Get,
  getTenantId,
  type Request,
  type Response,
  schemeOf,
  Tenant,
  tenantRouter,
  Use,
} from 'blazon'
import { keyIdOf, keySchemeOf, setKeyId } from 'blazon/plugin'
import express, { type RequestHandler } from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { start } from '../hostile/listening-app.js'
import { exchange, request } from '../hostile/raw-connection.js'

/** Lets `right <id>@<tenant>` in a header in, as the key with this id. */
function keyGuard(header: string): AuthGuard {
  const read = (req: Request) => String(req.headers[header] ?? '').split(/[ @]/)
  return {
    credentials: [header],
    tenantOf: (req) => read(req)[2],
    canActivate(req: Request) {
      const [state, id = ''] = read(req)
      if (state === 'right') setKeyId(req, id)
      return state === 'right'
    },
  }
}

/** What a request is in the code that handles it. */
const seen = (req: Request) => ({
  scheme: schemeOf(req) ?? null,
  key: keyIdOf(req) ?? null,
  keyScheme: keySchemeOf(req) ?? null,
  tenant: getTenantId() ?? null,
})
const NOBODY = { scheme: null, key: null, keyScheme: null, tenant: null }

@Controller('inner')
class InnerController {
  @Get('public')
  open(req: Request) {
    return seen(req)
  }

  @Tenant({ optional: true })
  @Get('tenant')
  ofTenant(req: Request) {
    return seen(req)
  }

  @Auth()
  @Get('secret')
  secret(req: Request) {
    return seen(req)
  }
}

/** An application of its own, with a guard of its own. */
async function makeInner(): Promise<App> {
  const inner = new App({
    controllers: [InnerController],
    auth: { guards: { inside: keyGuard('x-inside') } },
    tenant: {},
    logger: false,
  })
  await inner.init()
  onTestFinished(() => inner.close())
  return inner
}

const OUTSIDE = 'X-Outside: right 1@acme'
const INSIDE = 'X-Inside: right 2@globex'
const asked = async (port: number, path: string, lines: readonly string[]) => {
  const [answer] = await exchange(port, request(path, lines))
  return answer?.status === 200 ? JSON.parse(answer.text).data : answer?.status
}

describe('a request that is admitted by one application and passed to another', () => {
  async function startBoth() {
    const inner = await makeInner()
    const enter = inner.handler as RequestHandler

    @Auth()
    @Controller()
    class OuterController {
      @Use(enter)
      @Get('inner/*path')
      used(req: Request) {
        return seen(req)
      }

      @Get('called/:name')
      called(req: Request, res: Response) {
        req.url = `/inner/${req.params.name}`
        enter(req, res, () => res.json({ data: seen(req) }))
      }
    }
    const guards = { outside: keyGuard('x-outside') }
    return await start({ controllers: [OuterController], auth: { guards }, tenant: {} })
  }

  it.each(['/inner', '/called'])('has no guard, key or tenant of the first one: %s', async (at) => {
    const { port } = await startBoth()
    expect(await asked(port, `${at}/public`, [OUTSIDE])).toEqual(NOBODY)
    expect(await asked(port, `${at}/tenant`, [OUTSIDE])).toEqual(NOBODY)
    expect(await asked(port, `${at}/secret`, [OUTSIDE])).toBe(401)
    expect(await asked(port, `${at}/secret`, [OUTSIDE, INSIDE])).toEqual({
      scheme: 'inside',
      key: '2',
      keyScheme: 'inside',
      tenant: 'globex',
    })
    expect(await asked(port, `${at}/secret`, [INSIDE])).toBe(401)
  })

  it('has the guard, key and tenant of the first application again when it returns there', async () => {
    const { port } = await startBoth()
    const outside = { scheme: 'outside', key: '1', keyScheme: 'outside', tenant: 'acme' }
    expect(await asked(port, '/inner/nowhere', [OUTSIDE])).toEqual(outside)
    expect(await asked(port, '/called/nowhere', [OUTSIDE])).toEqual(outside)
  })
})

describe('a request that passes through a tenantRouter()', () => {
  it('continues without the key that the guard has set', async () => {
    @Controller('after')
    class AfterController {
      @Get('public')
      open(req: Request) {
        return seen(req)
      }
    }
    const { port } = await start({
      controllers: [AfterController],
      auth: { guards: { outside: keyGuard('x-outside') } },
      tenant: {},
      middlewares: [tenantRouter(express.Router(), { path: '/after' })],
    })
    expect(await asked(port, '/after/public', [OUTSIDE])).toEqual(NOBODY)
    expect(await asked(port, '/after/public', [])).toBe(401)
  })
})

describe('two applications that share one guard object', () => {
  it('each authenticate their own requests', async () => {
    const guard = keyGuard('x-outside')
    const make = () => {
      @Auth({ optional: true })
      @Controller('both')
      class BothController {
        @Get()
        both(req: Request) {
          return seen(req)
        }
      }
      return new App({ controllers: [BothController], auth: { guard }, tenant: {}, logger: false })
    }
    const [one, other] = [make(), make()]
    await Promise.all([one.init(), other.init()])
    onTestFinished(async () => {
      await Promise.all([one.close(), other.close()])
    })
    const host = express().use('/one', one.handler).use('/other', other.handler)
    const server = host.listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as { port: number }
    for (const at of ['/one/both', '/other/both']) {
      expect(await asked(port, at, [OUTSIDE])).toEqual({
        scheme: null,
        key: '1',
        keyScheme: null,
        tenant: 'acme',
      })
      expect(await asked(port, at, [])).toEqual(NOBODY)
      expect(await asked(port, at, ['X-Outside: wrong'])).toBe(401)
    }
  })
})
