import type { DualClassDecorator, DualClassOrMethodDecorator } from '../contracts/decorator.js'
import type { Class } from '../contracts/provider.js'
import { pathArgument } from './route.js'
import { classOrMethod, decorator, refuseBare } from './write.js'

/**
 * Declares a class as a controller. A route's path is the prefix of the class followed by the path of the method.
 *
 * @param prefix A path, with or without a slash at each end. It can contain `:param` segments. Default: none.
 * @throws ConfigError if the target is not a class.
 * @example
 * @Controller('users')
 * class UsersController extends BaseController {
 *   @Get(':id')
 *   getById(req: Request, res: Response) {
 *     return this.ok(res, 'User found', users.get(req.params.id))
 *   }
 * }
 */
export function Controller(prefix?: string): DualClassDecorator
export function Controller(prefix = '', ...rest: unknown[]): DualClassDecorator {
  refuseBare('@Controller', prefix, rest[0])
  const fact = { kind: 'controller', prefix: pathArgument('@Controller', prefix) } as const
  return decorator('@Controller()', { class: fact })
}

/**
 * Lists controllers for the `controllers` option, in order of registration.
 *
 * @example
 * const options = defineAppOptions({ controllers: defineControllers(UsersController, OrdersController) })
 */
export function defineControllers(...controllers: readonly Class[]): readonly Class[] {
  return Object.freeze([...controllers])
}

/**
 * Assigns the routes of a class or method to API versions. `'*'` assigns them to every version, like routes without the
 * decorator. `@Version` on a method overrides `@Version` on the class. The `versions` option defines where requests
 * specify a version.
 *
 * @param versions Names of lower-case letters and digits, with `.`, `-` or `_` between them: `'2'`, `'2026-01-31'`. Or
 * only `'*'`.
 * @throws ConfigError at boot: `E_VERSION_INVALID` for any other name; `E_VERSION_UNUSED` without the `versions`
 * option.
 * @see docs/versions.md
 * @example
 * @Version('1', '2')
 * @Controller('orders')
 * class OrdersController {
 *   @Get() list() { return orders.all() }
 *   @Version('2') @Delete(':id') remove(req: Request) { orders.remove(req.params.id) }
 * }
 */
export function Version(...versions: readonly [string, ...string[]]): DualClassOrMethodDecorator
export function Version(...args: readonly unknown[]): DualClassOrMethodDecorator {
  refuseBare('@Version', args[0], args[1])
  return classOrMethod('@Version()', { kind: 'version', versions: args as readonly string[] })
}
