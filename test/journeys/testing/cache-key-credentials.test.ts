import { Cache, Controller, Get, type Request } from 'blazon'
import { ContractError, TestApp, type TestOptions } from 'blazon/testing'
import { describe, expect, it, onTestFinished } from 'vitest'

@Controller('sessions')
class SessionsController {
  @Get()
  @Cache({ ttl: 60 })
  read(req: Request) {
    return { session: req.get('X-Session') ?? 'none' }
  }

  @Get('shared')
  @Cache({ ttl: 60, shared: true })
  shared(req: Request) {
    return { session: req.get('X-Session') ?? 'none' }
  }
}

async function start(auth: NonNullable<TestOptions['auth']>) {
  const guard = { canActivate: () => true }
  const app = await TestApp.create({
    controllers: [SessionsController],
    auth: { guard, ...auth },
    contract: 'throw',
  })
  onTestFinished(() => app.close())
  return (path = '', session?: string) =>
    app
      .fetch(`/sessions${path}`, { headers: session === undefined ? {} : { 'X-Session': session } })
      .catch((error: unknown) => error)
}

describe('a cached handler that reads a credential header', () => {
  it('passes the check if auth.credentials contains the header, because the response is not cached', async () => {
    const ask = await start({ credentials: ['Authorization', 'X-Session'] })
    for (const session of [undefined, 'ann', undefined, 'bob']) {
      const response = (await ask('', session)) as Response
      expect(response.status).toBe(200)
      const cache = response.headers.get('x-cache')
      expect(cache === 'BYPASS').toBe(session !== undefined)
    }
  })

  it('violates the contract if all callers share the response', async () => {
    const ask = await start({ credentials: ['X-Session'] })
    expect(await ask('/shared')).toBeInstanceOf(ContractError)
  })

  it('violates the contract if auth.credentials does not contain the header', async () => {
    const ask = await start({ credentials: ['Authorization', 'cookie:session'] })
    expect(await ask()).toMatchObject({ violations: [{ path: 'headers.x-session' }] })
  })
})
