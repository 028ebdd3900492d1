import type { DualClassDecorator } from '../contracts/decorator.js'
import type { Class } from '../contracts/provider.js'
import { pathArgument } from './route.js'
import { decorator, refuseBare } from './write.js'

/**
 * Makes a class a controller. The path of a route is the prefix of the class joined with the path of the method.
 *
 * @param prefix With or without slashes at either end; may contain `:param` segments. Default: none.
 * @throws ConfigError when it is on anything but a class.
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
