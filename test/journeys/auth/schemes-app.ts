import {
  Auth,
  type AuthGuard,
  Can,
  type Class,
  Controller,
  Get,
  Post,
  Public,
  type Request,
  Sse,
  schemeOf,
} from 'blazon'
import { TestApp, type TestOptions } from 'blazon/testing'
import { z } from 'zod'

/** A guard of the tests: it reads one header, whose value is `right <name>` for a user of that name. */
export interface HeaderGuardOptions {
  readonly header: string
  readonly challenge?: string
  readonly abilities?: readonly string[]
}

/** How often each guard has run. */
export const runs: string[] = []

export function headerGuard(name: string, options: HeaderGuardOptions) {
  const { header, challenge = name, abilities = ['read'] } = options
  return {
    credentials: [header],
    challenge,
    security: { type: 'apiKey', in: 'header', name: header },
    async canActivate(req: Request) {
      runs.push(name)
      await Promise.resolve()
      const [state, id] = String(req.headers[header]).split(' ')
      if (state === 'crash') throw new TypeError('The store is broken.')
      if (state !== 'right') return false
      req.user = { id, from: name, permissions: abilities }
      return true
    },
  } satisfies AuthGuard
}

export const guards = {
  user: {
    ...headerGuard('user', {
      header: 'authorization',
      challenge: 'Bearer',
      abilities: ['read', 'write'],
    }),
    // Another scheme in the same header is not a credential of this guard.
    carries: (req: Request) => /^(?:right|wrong|crash)( |$)/.test(req.headers.authorization ?? ''),
  },
  partner: headerGuard('partner', { header: 'x-api-key', challenge: 'ApiKey' }),
  web: {
    ...headerGuard('web', { header: 'x-web', challenge: 'Cookie' }),
    credentials: ['cookie:session'],
    security: { type: 'apiKey', in: 'cookie', name: 'session' } as const,
    canActivate(req: Request) {
      runs.push('web')
      if (!/session=right/.test(req.headers.cookie ?? '')) return false
      req.user = { id: 'visitor', from: 'web', permissions: ['read'] }
      return true
    },
  },
} satisfies Record<string, AuthGuard>

export const whose = (req: Request) => ({
  from: req.user?.['from'] ?? null,
  scheme: schemeOf(req) ?? null,
})

@Controller('one')
export class One {
  @Auth()
  @Get('required')
  required(req: Request) {
    return whose(req)
  }

  @Auth({ optional: true })
  @Get('optional')
  optional(req: Request) {
    return whose(req)
  }

  @Public()
  @Get('public')
  public(req: Request) {
    return whose(req)
  }

  @Can('write')
  @Get('can')
  can(req: Request) {
    return whose(req)
  }
}

@Auth('user', 'partner')
@Controller('two')
export class Two {
  @Get('required')
  required(req: Request) {
    return whose(req)
  }

  @Post('required')
  change(req: Request) {
    return whose(req)
  }

  @Auth('partner', 'user')
  @Get('turned')
  turned(req: Request) {
    return whose(req)
  }

  @Auth('user', 'partner', { optional: true })
  @Get('optional')
  optional(req: Request) {
    return whose(req)
  }

  @Public()
  @Get('public')
  public(req: Request) {
    return whose(req)
  }

  @Can('write')
  @Get('can')
  can(req: Request) {
    return whose(req)
  }

  @Sse(z.object({ from: z.string() }))
  @Get('stream')
  async *stream(req: Request) {
    yield { from: String(req.user?.['from']) }
  }
}

@Auth('user', 'partner', 'web')
@Controller('three')
export class Three {
  @Get('required')
  required(req: Request) {
    return whose(req)
  }

  @Auth('web')
  @Get('web')
  web(req: Request) {
    return whose(req)
  }
}

export const start = (options: TestOptions = {}, controllers: Class[] = [One, Two, Three]) =>
  TestApp.create({ controllers, auth: { guards }, contract: 'throw', ...options })

export type Headers = Record<string, string>

/** The name of the guard whose user the handler saw, or the status of the refusal. */
export async function ask(app: TestApp, path: string, headers: Headers = {}) {
  const { status, body } = await app.request().get(path).set(headers)
  return status === 200 ? `${body.data.from}/${body.data.scheme}` : status
}

export const USER: Headers = { authorization: 'right ann' }
export const PARTNER: Headers = { 'x-api-key': 'right shop' }
export const WEB: Headers = { cookie: 'session=right' }
export const NO_USER: Headers = { authorization: 'wrong' }
export const NO_PARTNER: Headers = { 'x-api-key': 'wrong' }
