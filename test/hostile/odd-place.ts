import {
  type AppOptions,
  Auth,
  Body,
  Cache,
  Can,
  Controller,
  Get,
  type Middleware,
  type NextFunction,
  NotFoundError,
  Post,
  RateLimit,
  type Request,
  type Response,
  Tenant,
} from 'blazon'
import { ODD_VALUES } from './odd-values.js'

/** An application that passes a value to the framework in one place. */
export interface Place {
  readonly options: AppOptions
  readonly method?: 'GET' | 'POST'
  /** Whether a value decides about access. No value of the list gives access. */
  readonly denies?: true
  /** Whether the connection may be closed, because a part of the response may have been sent already. */
  readonly mayCut?: true
}

export const KEYS = Object.keys(ODD_VALUES)

/** The value that a request names, made anew. */
export function oddOf(req: Request): unknown {
  return (ODD_VALUES[KEYS[Number(req.headers['x-odd'])] as string] as () => unknown)()
}

/** The number of requests that have reached a protected handler. */
export const reached = { count: 0 }

// biome-ignore lint/suspicious/noExplicitAny: a program may pass any value
export type Anything = any

export function handling(
  handle: (req: Request, res: Response, next: NextFunction, self: Anything) => unknown,
  more: AppOptions = {},
): Place {
  @Controller()
  class OddController {
    @Get('odd') odd(req: Request, res: Response, next: NextFunction): unknown {
      return handle(req, res, next, this)
    }
  }
  return { options: { controllers: [OddController], ...more } }
}

export const toss = (value: unknown): never => {
  throw value
}

@Controller()
class DeniedController {
  @Auth() @Get('odd') odd() {
    reached.count++
    return 'reached'
  }
}

@Controller()
export class AbleController {
  @Can('able') @Get('odd') odd() {
    reached.count++
    return 'reached'
  }
}

@Tenant()
@Controller()
class TenantController {
  @Get('odd') odd() {
    reached.count++
    return 'reached'
  }
}

@Controller()
class PlainController {
  @Get('odd') odd() {
    return 'plain'
  }
}

export const allow = { canActivate: () => true }
export const guarding = (canActivate: (req: Request) => Anything): Place => ({
  options: { controllers: [DeniedController], auth: { guard: { canActivate } } },
  denies: true,
})
export const user = (make: (odd: unknown) => unknown): Place => ({
  options: {
    controllers: [AbleController],
    auth: {
      guard: {
        canActivate(req: Request) {
          Object.assign(req, { user: make(oddOf(req)) })
          return true
        },
      },
    },
  },
  denies: true,
})
export const through = (middleware: Middleware): Place => ({
  options: { controllers: [PlainController], middlewares: [middleware] },
})
export const tenancy = (tenant: Anything): Place => ({
  options: { controllers: [TenantController], tenant },
  denies: true,
})
export const errorField = (name: string, make: () => object = () => new NotFoundError('x')) =>
  handling((req) => toss(Object.defineProperty(make(), name, { value: oddOf(req) })))

/** Waits for a microtask. */
export async function later(): Promise<void> {
  await null
}

export const withCache = (
  cache: Anything,
  handle: (req: Request) => unknown = () => 'made',
): Place => {
  @Controller()
  class CachedController {
    @Cache({ ttl: 60, ...cache }) @Get('odd') odd(req: Request) {
      return handle(req)
    }
  }
  return { options: { controllers: [CachedController] } }
}

export const withSchema = (validate: (req: unknown) => unknown): Place => {
  const schema = { '~standard': { version: 1, vendor: 'odd', validate } } as Anything
  @Controller()
  class ValidatedController {
    @Post('odd') @Body(schema) odd() {
      return 'validated'
    }
  }
  return { options: { controllers: [ValidatedController], swagger: false }, method: 'POST' }
}
export const sent = (body: unknown) =>
  (ODD_VALUES[KEYS[(body as { odd: number }).odd] as string] as () => unknown)()

@Controller()
export class LimitedController {
  @RateLimit({ limit: 1000, window: '1m', by: (req: Request) => oddOf(req) as string })
  @Get('odd')
  odd() {
    return 'within'
  }
}

@Controller()
export class UserLimitedController {
  @RateLimit({ limit: 1000, window: '1m', by: 'user' })
  @Auth()
  @Get('odd')
  odd() {
    return 'within'
  }
}

export const loggingBy = (error: (facts: object) => unknown): Place =>
  handling(() => toss(new Error('to be logged')), {
    logger: { info() {}, warn() {}, error } as Anything,
  })

/** The value that a logged request names, read from its URL, because a logger does not receive the request. */
export const ofLog = (facts: object) =>
  oddOf({ headers: { 'x-odd': /\d+$/.exec((facts as { url: string }).url)?.[0] } } as Anything)
