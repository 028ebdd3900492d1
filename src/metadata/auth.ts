import type {
  DualClassOrMethodDecorator,
  DualMethodDecorator,
  LegacyParameterDecorator,
} from '../contracts/decorator.js'
import type { AuthDecoratorOptions } from '../contracts/guard.js'
import type { Policy } from '../contracts/policy.js'
import type { TenantDecoratorOptions } from '../contracts/tenant.js'
import { decorator, refuseArguments, refuseBare } from './write.js'

/**
 * Requires the guard (`auth.guard`) on every route of a class, or on one method. Without a configured guard the
 * response is always 401. A decorator on a method replaces the one on its class.
 *
 * In an application with `auth.guards`, the arguments name the guards of which any may let a request in; without names
 * it is the first guard of `auth.guards`. If a request carries the credentials of several, each of them must be right.
 *
 * @param guards Names in `auth.guards`; of two right credentials, the first one decides `req.user`.
 * @throws ConfigError if an argument is anything else. The application does not start with an unknown name.
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
 * Requires one of the guards, as above, with options.
 *
 * @param args Names in `auth.guards`, then the options: `optional: true` also accepts requests without credentials.
 * Default `false`.
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
  const fact = { kind: 'auth', isOptional, guards } as const
  return decorator('@Auth()', { class: fact, method: fact }) as DualClassOrMethodDecorator
}

function isName(given: unknown): given is string {
  return typeof given === 'string' && given !== ''
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
 * user without one of these abilities gets 403.
 *
 * @param abilities All abilities must be in `req.user.permissions` or `req.user.roles`, unless `auth.can` decides.
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

/** The same as {@link Can}: requires abilities of the user. @example @Requires('orders:write') @Post() create() {} */
export const Requires: typeof Can = Can

/**
 * Requires a tenant on every route of a class, or on one method: a request without a tenant is refused with 400, and
 * responses of `@Cache` are kept apart by tenant. A decorator on a method replaces the one on its class.
 *
 * @param options `optional: true` also accepts requests that name no tenant. Default `false`.
 * @example
 * @Tenant()
 * @Controller('invoices')
 * class InvoicesController {}
 */
export function Tenant(options?: TenantDecoratorOptions): DualClassOrMethodDecorator
export function Tenant(...args: unknown[]): DualClassOrMethodDecorator {
  refuseBare('@Tenant', args[0], args[1])
  const [options = {}] = args as [TenantDecoratorOptions?]
  const fact = { kind: 'tenant', options } as const
  return decorator('@Tenant()', { class: fact, method: fact }) as DualClassOrMethodDecorator
}

/**
 * Passes the id of the request's tenant to a handler parameter (legacy dialect); `undefined` when there is none.
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

/**
 * Declares that a route uses a policy. Its document then has the refusals (403 and 404), and a success is sent only
 * after the policy has decided about at least one of the actions: otherwise the response is 500. Repeatable: each
 * decorator must be met. A decorator on a class applies to all its routes.
 *
 * @param policy The result of `policy`, or of its `or404`.
 * @param actions The actions that the handler checks. If there are several, one check is enough.
 * @throws TypeError if the first argument is not a policy, or the policy has no rule for an action.
 *
 * @example
 * class OrdersController {
 *   @Auth()
 *   @Checks(OrderPolicy, 'read')
 *   @Get(':id')
 *   show(req: Request) {
 *     return OrderPolicy.load(req, 'read', () => orders.find(req.params.id))
 *   }
 * }
 */
export function Checks<TObject, TAction extends string>(
  policy: Policy<TObject, TAction>,
  ...actions: readonly [NoInfer<TAction>, ...NoInfer<TAction>[]]
): DualClassOrMethodDecorator {
  if (typeof policy?.or404 !== 'function' || !Array.isArray(policy.actions)) {
    refuseBare('@Checks', policy, actions[0])
    throw new TypeError('@Checks() needs the result of policy().')
  }
  const unknown = actions.find((action) => !policy.actions.includes(action))
  if (actions.length === 0 || unknown !== undefined) {
    const known = policy.actions.map((action) => `'${action}'`).join(', ')
    const given = unknown === undefined ? 'specifies no action' : `specifies '${String(unknown)}'`
    throw new TypeError(`@Checks(${policy.name}) ${given}. The policy has rules for: ${known}.`)
  }
  const fact = { kind: 'checks', check: Object.freeze({ policy, actions }) } as const
  return decorator('@Checks()', { class: fact, method: fact }) as DualClassOrMethodDecorator
}
