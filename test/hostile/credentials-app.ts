import {
  type App,
  type AppOptions,
  Auth,
  Controller,
  Get,
  getTenantId,
  Post,
  Public,
  type Request,
  schemeOf,
  Tenant,
} from 'blazon'
import { jwt, signTestToken } from 'blazon/jwt'
import { apiKeys, generateApiKey } from 'blazon/keys'
import { sessions } from 'blazon/sessions'

const secret = 'a secret for tests, which has 32 bytes and more'
const token = (claims: object) =>
  signTestToken({ iss: 'https://id.example', aud: 'api', ...claims }, secret)

const KEYS = [generateApiKey({ prefix: 'one' }), generateApiKey({ prefix: 'one' })] as const
const OLD = generateApiKey({ prefix: 'one' })
const ROWS = new Map([
  [KEYS[0].hash, { id: 'key-a', tenant: 'acme' }],
  [KEYS[1].hash, { id: 'key-g', tenant: 'globex' }],
  [OLD.hash, { id: 'key-old', tenant: 'acme', revokedAt: 1 }],
])

const user = jwt({ issuer: 'https://id.example', audience: 'api', keys: secret, tenant: 'org' })
const key = apiKeys({
  prefix: 'one',
  find: (hash) => {
    const row = ROWS.get(hash)
    return row === undefined ? undefined : { ...row, hash }
  },
})
const web = sessions()

/** What handlers were run for, since the last request. */
export const runs: object[] = []
const run = (req: Request) => {
  const made = {
    by: schemeOf(req) ?? null,
    id: req.user?.id ?? null,
    tenant: getTenantId() ?? null,
  }
  runs.push(made)
  return made
}

@Auth('user', 'key', 'web')
@Tenant({ optional: true })
@Controller('routes')
class RoutesController {
  @Get('any')
  any(req: Request) {
    return run(req)
  }

  @Post('any')
  change(req: Request) {
    return run(req)
  }

  @Auth('web', 'user')
  @Get('people')
  people(req: Request) {
    return run(req)
  }

  @Auth('key')
  @Get('programs')
  programs(req: Request) {
    return run(req)
  }

  @Auth('key', 'user', { optional: true })
  @Get('maybe')
  maybe(req: Request) {
    return run(req)
  }

  @Public()
  @Post('login/:tenant')
  @Tenant()
  async login(req: Request) {
    await (await web.of(req)).login({ id: `web-${req.params.tenant}` })
  }
}

/** The guards that each route accepts, in their order. The first that let a request in decides who the caller is. */
export const ROUTES: Readonly<Record<string, { accepts: readonly string[]; isOptional?: true }>> = {
  'GET /routes/any': { accepts: ['user', 'key', 'web'] },
  'POST /routes/any': { accepts: ['user', 'key', 'web'] },
  'GET /routes/people': { accepts: ['web', 'user'] },
  'GET /routes/programs': { accepts: ['key'] },
  'GET /routes/maybe': { accepts: ['key', 'user'], isOptional: true },
}

export const options: AppOptions = {
  controllers: [RoutesController],
  auth: { guards: { user, key, web }, default: 'protected' },
  plugins: [web],
  tenant: {},
  logger: false,
}

/** A credential that a request may carry. */
export interface Credential {
  readonly guard: 'user' | 'key' | 'web'
  /** The header. */
  readonly line: string
  /** Who the caller is; `null` for a credential that is wrong, and is one of the guard. */
  readonly caller: { readonly id: string; readonly tenant: string } | null
}

const bearer = (claims: object, caller: Credential['caller']): Credential => ({
  guard: 'user',
  line: `Authorization: Bearer ${token(claims)}`,
  caller,
})
const own = (text: string, caller: Credential['caller']): Credential => ({
  guard: 'key',
  line: `X-API-Key: ${text}`,
  caller,
})

/** Makes right and wrong credentials of all guards. */
export async function credentialsOf(app: App): Promise<readonly Credential[]> {
  const login = async (tenant: string) => {
    const headers = { 'x-tenant-id': tenant, 'sec-fetch-site': 'same-origin' }
    const init = { method: 'POST', headers }
    const { headers: sent } = await app.fetch(
      new globalThis.Request(`http://localhost/routes/login/${tenant}`, init),
    )
    const [pair = ''] = (sent.get('set-cookie') ?? '').split(';')
    const caller = { id: `web-${tenant}`, tenant }
    return { guard: 'web', line: `Cookie: ${pair}`, caller } as const
  }
  const [acme, globex] = [await login('acme'), await login('globex')]
  return [
    bearer({ sub: 'u-a', org: 'acme' }, { id: 'u-a', tenant: 'acme' }),
    bearer({ sub: 'u-g', org: 'globex' }, { id: 'u-g', tenant: 'globex' }),
    bearer({ sub: 'u-a', org: 'acme', exp: 1 }, null),
    bearer({ sub: 'u-a', org: 'acme', aud: 'other' }, null),
    bearer({ org: 'acme' }, null),
    own(KEYS[0].key, { id: 'key-a', tenant: 'acme' }),
    own(KEYS[1].key, { id: 'key-g', tenant: 'globex' }),
    own(OLD.key, null),
    own(generateApiKey({ prefix: 'one' }).key, null),
    own(generateApiKey({ prefix: 'two' }).key, null),
    own('', null),
    acme,
    globex,
    { guard: 'web', line: `${acme.line.slice(0, -1)}_`, caller: null },
    { guard: 'web', line: 'Cookie: session=', caller: null },
  ]
}
