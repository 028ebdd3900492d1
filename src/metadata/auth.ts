import type {
  DualClassOrMethodDecorator,
  DualMethodDecorator,
  LegacyParameterDecorator,
} from '../contracts/decorator.js'
import type { AuthDecoratorOptions } from '../contracts/guard.js'
import { classOrMethod, decorator, methodOnly, refuseArguments, refuseBare } from './write.js'

/**
 * Requires the guard (`auth.guard`) on every route of a class, or on one method. Without a configured guard, every
 * request results in a 401 response. `@Auth` on a method overrides `@Auth` on the class.
 *
 * In an application with `auth.guards`, the arguments are the names of guards. Each of these guards can allow a
 * request. Without arguments, the first guard in `auth.guards` applies. If a request carries credentials for several
 * guards, all of the credentials must be valid.
 *
 * @param guards Names in `auth.guards`. If several credentials are valid, the first guard determines `req.user`.
 * @throws ConfigError if an argument is neither a name nor an options object. An unknown name causes an error at boot.
 * @example
 * @Auth('user', 'partner')
 * @Controller('articles')
 * class ArticlesController {
 *   @Auth({ optional: true })
 *   @Get()
 *   list(req: Request) { return articles.visibleTo(req.user) }
 * }
 */
export function Auth(...guards: readonly string[]): DualClassOrMethodDecorator
/**
 * Requires one of the guards, with options.
 *
 * @param args Names in `auth.guards`, then the options: `optional: true` also accepts requests without credentials.
 * Default: `false`.
 * @example
 * @Auth('web', { optional: true })
 */
export function Auth(
  ...args: readonly [...guards: string[], options: AuthDecoratorOptions | undefined]
): DualClassOrMethodDecorator
export function Auth(...args: unknown[]): DualClassOrMethodDecorator {
  const last = args.at(-1)
  const options = isOptions(last) ? last : {}
  const names =
    isOptions(last) || (args.length === 1 && last === undefined) ? args.slice(0, -1) : args
  const wrong = names.find((name) => !isName(name))
  if (wrong !== undefined || names.includes(undefined)) {
    refuseArguments('@Auth', typeof args[0] === 'string' ? [wrong] : args)
  }
  const { optional: isOptional = false } = options
  const guards = Object.freeze([...new Set(names as string[])])
  return classOrMethod('@Auth()', { kind: 'auth', isOptional, guards })
}

function isName(given: unknown): given is string {
  return typeof given === 'string' && given !== ''
}

function isOptions(given: unknown): given is AuthDecoratorOptions {
  if (typeof given !== 'object' || given === null) return false
  const { optional, ...others } = given as AuthDecoratorOptions
  return ['boolean', 'undefined'].includes(typeof optional) && Object.keys(others).length === 0
}

/**
 * Makes one method public, although its class or `auth.default` would protect it.
 *
 * @example
 * @Public() @Get('health') health() { return 'ok' }
 */
export function Public(): DualMethodDecorator
export function Public(...args: unknown[]): DualMethodDecorator {
  refuseArguments('@Public', args)
  return methodOnly('@Public()', { kind: 'public' })
}

/**
 * Requires the user to have certain abilities, and therefore also requires the guard. The abilities on the class and on
 * the method are combined. A user who lacks any of them receives a 403 response.
 *
 * @param abilities The required abilities. Each must be in `req.user.permissions` or `req.user.roles`, unless
 * `auth.can` decides.
 * @example
 * @Can('orders:write')
 * @Post()
 * create(req: Request) { return orders.add(req.body) }
 */
export function Can(...abilities: readonly string[]): DualClassOrMethodDecorator {
  refuseBare('@Can', abilities[0], abilities[1])
  return classOrMethod('@Can()', { kind: 'can', abilities })
}

/** An alias of {@link Can}. @example @Requires('orders:write') @Post() create(req: Request) {} */
export const Requires: typeof Can = Can

/**
 * Passes the request's tenant ID to a handler parameter (legacy dialect); `undefined` if there is no tenant.
 *
 * @example
 * list(@TenantId() tenant: string) { return invoices.of(tenant) }
 */
export function TenantId(): LegacyParameterDecorator
export function TenantId(...args: unknown[]): LegacyParameterDecorator {
  refuseArguments('@TenantId', args)
  return decorator('@TenantId()', {
    parameter: (index) => [{ kind: 'parameter', index, source: 'tenant' }],
  })
}
