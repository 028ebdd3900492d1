import type { DualClassOrMethodDecorator, DualMethodDecorator } from '../contracts/decorator.js'
import { decorator, refuseArguments, refuseBare } from './write.js'

/**
 * Requires the guard (`auth.guard`) on every route of a class, or on one method. Without a configured guard the
 * response is always 401.
 *
 * @example
 * @Auth()
 * @Controller('account')
 * class AccountController {}
 */
export function Auth(): DualClassOrMethodDecorator
export function Auth(...args: unknown[]): DualClassOrMethodDecorator {
  refuseArguments('@Auth', args)
  const fact = { kind: 'auth' } as const
  return decorator('@Auth()', { class: fact, method: fact }) as DualClassOrMethodDecorator
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
