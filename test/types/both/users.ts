// `req.user`: `undefined` unless the handler says that its route is protected.
import {
  Auth,
  type AuthenticatedRequest,
  type AuthGuard,
  type AuthOptions,
  Body,
  Cache,
  Can,
  Controller,
  Get,
  Params,
  Post,
  Query,
  RateLimit,
  type Req,
  type Request,
  type RequestInputs,
  type User,
} from 'blazon'
import type { Request as ExpressRequest } from 'express'
import { z } from 'zod'
import type { Equal, Expect } from '../expect.js'

const Note = z.object({ text: z.string() })
const ById = z.object({ id: z.coerce.number() })
const input = { params: ById, body: Note }

export type Users = [
  Expect<Equal<Request['user'], User | undefined>>,
  Expect<Equal<Request<{ id: number }>['user'], User | undefined>>,
  Expect<Equal<Req['user'], User | undefined>>,
  Expect<Equal<Req<typeof input>['user'], User | undefined>>,
  Expect<Equal<Req<{ auth: true }>['user'], User>>,
  Expect<Equal<Req<typeof input & { auth: true }>['user'], User>>,
  Expect<Equal<Req<{ auth: true; body: typeof Note }>['body'], { text: string }>>,
  Expect<Equal<AuthenticatedRequest['user'], User>>,
]

// @ts-expect-error `auth` is `true` or missing
export type NotAuth = Req<{ auth: false }>

// @ts-expect-error a boolean may be `false`
export type MaybeAuth = Req<{ auth: boolean }>

class Account {
  constructor(
    readonly id: number,
    readonly email: string,
  ) {}
}

interface Person {
  readonly id: number
  readonly roles: readonly string[]
}

declare const person: Person

export class Guard implements AuthGuard {
  async canActivate(req: Request) {
    req.user = { id: '1', roles: ['admin'] }
    req.user = new Account(1, 'a@example.com')
    req.user = person
    req.user = new Map([['t', person]]).get('t')
    // @ts-expect-error a user is an object
    req.user = 'ada'
    // @ts-expect-error roles are strings
    req.user = { roles: [1] }
    return req.user !== undefined && req.user.permissions?.includes('all') === true
  }
}

interface PersonRequest extends Request {
  user: User & Person
}

interface MaybePersonRequest extends Request {
  user?: User & Person
}

@Auth()
@Controller('good')
export class Good {
  @Get('plain')
  plain(req: Req<{ auth: true }>) {
    const roles: readonly string[] | undefined = req.user.roles
    return { id: req.user.id, name: req.user.name, roles }
  }

  @Get('checked')
  checked(req: Request) {
    return req.user === undefined ? 'nobody' : req.user.id
  }

  @Can('notes:write')
  @Post('separate/:id')
  @Params(ById)
  @Body(Note)
  @Query('page', z.number().optional())
  separate({ params, body, user }: Req<typeof input & { auth: true }>) {
    return { id: params.id + 1, text: body.text.trim(), by: user.id }
  }

  @Post('options/:id', input)
  options({ params, body, user }: Req<typeof input & { auth: true }>) {
    return { id: params.id + 1, text: body.text.trim(), by: user.id }
  }

  @Post('untyped')
  @Body(Note)
  untyped(req: AuthenticatedRequest) {
    return [req.body.text, req.user.id]
  }

  @Post('own')
  @Body(Note)
  own(req: PersonRequest) {
    return req.user.id.toFixed()
  }

  @Post('own-options', { body: Note })
  ownOptions(req: MaybePersonRequest) {
    return req.user?.id.toFixed()
  }

  @Post('structural')
  @Body(Note)
  structural({ body, user }: { body: { text: string }; user: { id: number } }) {
    return { text: body.text, by: user.id }
  }

  @Post('express')
  @Body(Note)
  express(req: ExpressRequest) {
    return req.body.text
  }
}

@Controller('bad')
export class Bad {
  @Get('plain')
  plain(req: Request) {
    // @ts-expect-error there may be no user
    return req.user.id
  }

  @Get('undeclared')
  undeclared(req: Req) {
    // @ts-expect-error there may be no user
    return req.user.id
  }

  @Post('options', { body: Note })
  options(req: Req<{ body: typeof Note }>) {
    // @ts-expect-error there may be no user
    return req.user.id
  }

  @Get('never')
  never(req: Req<{ auth: true }>) {
    // @ts-expect-error there is always a user
    req.user = undefined
  }

  // @ts-expect-error `auth` describes the request and not the route: @Auth() protects it
  @Get('protected', { auth: true })
  protected(_req: Req<{ auth: true }>) {}

  @Post('wrong')
  // @ts-expect-error the text is a string, whatever the user is
  @Body(Note)
  wrong(_req: Req<{ auth: true; query: typeof Note }>) {}
}

interface Claims {
  readonly sub: string
  readonly plan: 'free' | 'paid'
}

declare const tokens: AuthGuard<Claims>
declare const keys: AuthGuard<{ readonly keyId: string; readonly sub: string }>
declare const plain: AuthGuard

export type GuardedUsers = [
  Expect<Equal<Req<{ auth: typeof tokens }>['user'], Claims>>,
  Expect<Equal<Req<{ auth: typeof tokens | typeof keys }>['user']['sub'], string>>,
  Expect<Equal<Req<{ auth: typeof plain }>['user'], User>>,
  Expect<Equal<Req<{ auth: typeof tokens; body: typeof Note }>['body'], { text: string }>>,
]

@Auth('tokens')
@Controller('guarded')
export class Guarded {
  @Get('one')
  one({ user }: Req<{ auth: typeof tokens }>) {
    // @ts-expect-error the guard describes no such field
    const misspelt: unknown = user.sup
    return { by: user.sub, paid: user.plan === 'paid', misspelt }
  }

  @Auth('tokens', 'keys', { optional: false })
  @Post('several/:id')
  @Params(ById)
  @Body(Note)
  several(req: Req<typeof input & { auth: typeof tokens | typeof keys }>) {
    // @ts-expect-error only one of the two guards sets it
    const plan: unknown = req.user.plan
    return {
      by: req.user.sub,
      id: req.params.id.toFixed(),
      text: req.body.text,
      plan,
      url: req.url,
    }
  }

  @Post('options/:id', input)
  options({ params, user }: Req<typeof input & { auth: typeof tokens }>) {
    return { id: params.id.toFixed(), by: user.sub }
  }

  @Post('wrong')
  // @ts-expect-error the text is a string, whatever the guard is
  @Body(Note)
  wrong(_req: Req<{ auth: typeof tokens; query: typeof Note }>) {}

  // @ts-expect-error names come before the options
  @Auth({ optional: true }, 'tokens')
  @Get('order')
  order() {}
}

export const guards: AuthOptions = { guards: { tokens, keys, plain } }

export const single: AuthOptions = { guard: tokens }

/** A request of any inputs is still a request. */
export function generic<I extends RequestInputs>(req: Req<I>): Request {
  req.signal.throwIfAborted()
  return req
}

export const can: AuthOptions['can'] = (user, abilities, req) => {
  // @ts-expect-error `auth.can` also decides when a guard has set no user
  abilities.includes(user.id)
  // @ts-expect-error as above
  abilities.includes(req.user.id)
  return abilities.every((ability) => req.user?.roles?.includes(ability))
}

export class Limited {
  @RateLimit({ limit: 1, window: 1, by: (req: Req<{ auth: true }>) => req.user.plan })
  @RateLimit({ limit: 1, window: 1, by: (req) => String(req.user?.plan) })
  // @ts-expect-error there may be no user
  @RateLimit({ limit: 1, window: 1, by: (req) => req.user.plan })
  limited() {}

  @Cache({ ttl: 1, key: (req: Req<{ auth: true }>) => req.user.team, tags: taggedBy })
  cached() {}
}

function taggedBy(req: Req<{ auth: true }>): string[] {
  return [`team:${req.user.team}`]
}

export const casts = [
  (req: Request) => req.user as Person | undefined,
  (req: Req<{ auth: true }>) => req.user as Person,
]
