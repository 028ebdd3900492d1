import type { DualClassOrMethodDecorator } from '../contracts/decorator.js'
import { decorator, refuseBare } from './write.js'

/**
 * Puts the routes of a class, or of one method, into versions of the API. `'*'` puts them into every version, as routes
 * without the decorator are. A decorator on a method replaces the one on its class. The option `versions` states where
 * requests name a version.
 *
 * @param versions Lower-case letters and digits, with `.`, `-` or `_` between them: `'2'`, `'2026-01-31'`. Or only `'*'`.
 * @throws ConfigError at boot: `E_VERSION_INVALID` for another name; `E_VERSION_UNUSED` without the option `versions`.
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
  const fact = { kind: 'version', versions: args as readonly string[] } as const
  return decorator('@Version()', { class: fact, method: fact }) as DualClassOrMethodDecorator
}
