import {
  Auth,
  type AuthGuard,
  Controller,
  Get,
  getTenantId,
  Post,
  Public,
  type Request,
  runWithTenant,
  schemeOf,
  Tenant,
} from 'blazon'
import { SetsSession, sessions } from 'blazon/sessions'
import { describe, expect, it } from 'vitest'
import { start } from '../hostile/listening-app.js'
import { exchange, post, request } from '../hostile/raw-connection.js'

/** Accounts of a table that all tenants share. */
const ACCOUNTS: Readonly<Record<string, { id: number; tenant: string }>> = {
  ann: { id: 1, tenant: 'acme' },
  bob: { id: 2, tenant: 'globex' },
}

const key: AuthGuard = {
  credentials: ['x-key'],
  challenge: 'Key',
  canActivate(req: Request) {
    req.user = { id: 'program' }
    return req.headers['x-key'] === 'right'
  },
}

async function startSite() {
  const web = sessions()

  @Auth('web')
  @Controller('site')
  class SiteController {
    @Public()
    @SetsSession()
    @Post('login/:name')
    async login(req: Request) {
      await (await web.of(req)).login(accountOf(req))
    }

    @Public()
    @Tenant()
    @SetsSession()
    @Post('login-there/:name')
    async loginThere(req: Request) {
      const account = accountOf(req)
      if (account.tenant === getTenantId()) await (await web.of(req)).login(account)
    }

    @Public()
    @SetsSession()
    @Post('login-home/:name')
    async loginHome(req: Request) {
      const account = accountOf(req)
      const session = await web.of(req)
      await runWithTenant(account.tenant, () => session.login(account))
      await session.regenerate()
    }

    @Get('me')
    me(req: Request) {
      return { id: req.user?.id, tenant: getTenantId() ?? null, by: schemeOf(req) }
    }

    @Auth('key')
    @Post('programs')
    programs() {
      return { id: 'program' }
    }

    @Auth('web', 'key')
    @Post('both')
    both(req: Request) {
      return { by: schemeOf(req) }
    }
  }
  const site = await start({
    controllers: [SiteController],
    auth: { guards: { web, key } },
    plugins: [web],
    tenant: {},
  })
  const own = 'Sec-Fetch-Site: same-origin'
  const login = async (path: string, lines: readonly string[] = []) => {
    const [answer] = await exchange(site.port, post(`/site/${path}`, '{}', [own, ...lines]))
    const cookie = answer?.headers['set-cookie']?.split(';')[0]
    return { status: answer?.status, cookie: cookie && `Cookie: ${cookie}` }
  }
  const me = async (lines: readonly (string | undefined)[]) => {
    const sent = lines.filter((line) => line !== undefined)
    const [answer] = await exchange(site.port, request('/site/me', sent))
    return answer?.status === 200 ? JSON.parse(answer.text).data : answer?.status
  }
  return { ...site, login, me }
}

function accountOf({ params: { name } }: Request) {
  return ACCOUNTS[String(name)] as (typeof ACCOUNTS)[string]
}

const ACME = 'X-Tenant-Id: acme'
const GLOBEX = 'X-Tenant-Id: globex'

describe('a login', () => {
  it('creates no session for a tenant that only the request names', async () => {
    const { login, logged } = await startSite()
    expect(await login('login/bob', [ACME])).toEqual({ status: 500, cookie: undefined })
    expect(logged.map(({ facts }) => String((facts as { err?: unknown }).err)).join()).toMatch(
      /login\(\) would begin a session for a tenant that only the request specifies\..*@Tenant\(\)/,
    )
  })

  it('creates a session without a tenant if the request has no tenant', async () => {
    const { login, me } = await startSite()
    const { cookie } = await login('login/bob')
    expect(await me([cookie])).toEqual({ id: 2, tenant: null, by: 'web' })
    expect(await me([cookie, ACME])).toBe(401)
  })

  it('creates a session for the tenant that the handler has checked', async () => {
    const { login, me } = await startSite()
    expect((await login('login-there/bob', [ACME])).cookie).toBeUndefined()
    const bob = await login('login-there/bob', [GLOBEX])
    expect(await me([bob.cookie, GLOBEX])).toEqual({ id: 2, tenant: 'globex', by: 'web' })
    expect(await me([bob.cookie, ACME])).toBe(401)
    expect(await me([bob.cookie])).toBe(401)
  })

  it("creates a session for the account's tenant, even if the request names another one", async () => {
    const { login, me } = await startSite()
    for (const lines of [[], [ACME], [GLOBEX]]) {
      const bob = await login('login-home/bob', lines)
      expect(await me([bob.cookie, GLOBEX])).toEqual({ id: 2, tenant: 'globex', by: 'web' })
      expect(await me([bob.cookie, ACME])).toBe(401)
    }
  })
})

describe('the session cookie', () => {
  const cross = 'Sec-Fetch-Site: cross-site'

  it('is refused in requests from another site, even on routes of other guards or with a key', async () => {
    const { port, login } = await startSite()
    const { cookie = '' } = await login('login/ann')
    const status = async (path: string, lines: readonly string[]) =>
      (await exchange(port, post(path, '{}', lines)))[0]?.status
    for (const path of ['/site/programs', '/site/both', '/nowhere']) {
      expect(await status(path, [cookie, cross, 'X-Key: right']), path).toBe(403)
      expect(await status(path, [cookie, cross]), path).toBe(403)
    }
    expect(await status('/site/both', [cookie, 'X-Key: right'])).toBe(403)
    expect(await status('/site/programs', [cross, 'X-Key: right'])).toBe(200)
    expect(await status('/site/both', [cookie, 'Sec-Fetch-Site: same-origin'])).toBe(200)
  })

  it('is refused if Origin or Sec-Fetch-Site is repeated or does not name the same site', async () => {
    const { port, login } = await startSite()
    const { cookie = '' } = await login('login/ann')
    const twice: readonly (readonly string[])[] = [
      ['Sec-Fetch-Site: same-origin', cross],
      [cross, 'Sec-Fetch-Site: same-origin'],
      ['Sec-Fetch-Site: same-origin', 'Sec-Fetch-Site: same-origin'],
      ['Origin: http://localhost', 'Origin: https://evil.example'],
      ['Origin: https://evil.example', 'Origin: http://localhost'],
      ['Origin: http://localhost:1'],
      ['Origin: http://localhost.'],
      ['Origin: http://localhost@evil.example'],
      ['Origin: null', 'Sec-Fetch-Site: same-site'],
      ['Referer: http://localhost/'],
    ]
    for (const lines of twice) {
      const [answer] = await exchange(port, post('/site/both', '{}', [cookie, ...lines]))
      expect(answer?.status, lines.join()).toBe(403)
    }
  })

  it('admits no request if it is changed, renamed or repeated, or if a key is wrong', async () => {
    const { port, login } = await startSite()
    const { cookie = '' } = await login('login/ann')
    const own = 'Sec-Fetch-Site: same-origin'
    const value = cookie.slice(cookie.indexOf('=') + 1)
    const sent: readonly (readonly string[])[] = [
      [cookie, 'X-Key: wrong'],
      [cookie, 'X-Key:'],
      [`Cookie: Session=${value}`],
      [`Cookie: a=b, session=${value}`],
      [`Cookie: session=${value}x`],
      [`Cookie: session="${value}"`],
      [`Cookie: session=${value}`, `Cookie: session=${value}`],
      [`Cookie: session=${value}; session=`],
      [`Cookie: __Host-session=${value}`],
      [`Cookie: session%3D${value}`],
      [`Cookie2: session=${value}`],
    ]
    for (const lines of sent) {
      const [answer] = await exchange(port, post('/site/both', '{}', [own, ...lines]))
      expect(answer?.status, lines.join()).toBe(401)
    }
  })
})
