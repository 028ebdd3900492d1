import type { DualClassOrMethodDecorator, DualMethodDecorator } from '../contracts/decorator.js'
import type { AuthDecoratorOptions } from '../contracts/guard.js'
import { decorator, refuseArguments, refuseBare } from './write.js'

/**
 * Requires the guard (`auth.guard`) on every route of a class, or on one method. Without a configured guard the
 * response is always 401. A decorator on a method replaces the one on its class.
 *
 * @param options `optional: true` also accepts requests without credentials. Default `false`.
 * @throws ConfigError if the argument is anything else.
 * @example
 * @Auth()
 * @Controller('articles')
 * class ArticlesController {
 *   @Auth({ optional: true })
 *   @Get()
 *   list(req: Request) { return articles.visibleTo(req.user) }
 * }
 */
export function Auth(options?: AuthDecoratorOptions): DualClassOrMethodDecorator
export function Auth(...args: unknown[]): DualClassOrMethodDecorator {
  if (args.length !== 1 || !isOptions(args[0])) refuseArguments('@Auth', args)
  const [{ optional: isOptional = false } = {}] = args as [AuthDecoratorOptions?]
  const fact = { kind: 'auth', isOptional } as const
  return decorator('@Auth()', { class: fact, method: fact }) as DualClassOrMethodDecorator
}

function isOptions(given: unknown): given is AuthDecoratorOptions {
  if (typeof given !== 'object' || given === null) return false
  const { optional, ...others } = given as AuthDecoratorOptions
  return ['boolean', 'undefined'].includes(typeof optional) && Object.keys(others).length === 0
}

/** Makes one method of a protected class public. @example @Public() @Get('health') health() { return 'ok' } */
export function Public(): DualMethodDecorator
export function Public(...args: unknown[]): DualMethodDecorator {
  refuseArguments('@Public', args)
  return decorator('@Public()', { method: { kind: 'public' } }) as DualMethodDecorator
}

/**
 * Requires abilities of the user, and therefore the guard. The abilities of the class and of the method add up. A
 * user who lacks one of them gets 403.
 *
 * @param abilities All of them must be in `req.user.permissions` or `req.user.roles`, unless `auth.can` decides.
 * @example
 * @Can('orders:write')
 * @Post()
 * create(req: Request) { return orders.add(req.body) }
 */
export function Can(...abilities: readonly string[]): DualClassOrMethodDecorator {
  refuseBare('@Can', abilities[0], abilities[1])
  const fact = { kind: 'can', abilities } as const
  return decorator('@Can()', { class: fact, method: fact }) as DualClassOrMethodDecorator
}
