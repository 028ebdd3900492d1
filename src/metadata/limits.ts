import type { DualClassOrMethodDecorator } from '../contracts/decorator.js'
import type { RouteLimits } from '../contracts/limits.js'
import { decorator, refuseBare } from './write.js'

/**
 * Sets limits for the requests of a class or a method that differ from the application's limits: the size and the
 * nesting of JSON bodies, and the time of the handler. Each field of a decorator on a method replaces the same field of
 * its class; each field on a class replaces the field of its base class.
 *
 * @param limits `body` in bytes or with a unit (`'5mb'`), `depth` as a whole number, `timeout` in seconds or with a
 * unit (`'5s'`), or `false` for no limit. Default of each: the class, else the options `limits` and `timeouts`.
 * @example
 * @Limits({ body: '5mb', timeout: '2m' })
 * @Post('import')
 * import(req: Request) { return imports.start(req.body) }
 */
export function Limits(limits: RouteLimits): DualClassOrMethodDecorator
export function Limits(...args: readonly unknown[]): DualClassOrMethodDecorator {
  refuseBare('@Limits', args[0], args[1])
  const fact = { kind: 'limits', limits: args[0] as RouteLimits } as const
  return decorator('@Limits()', { class: fact, method: fact }) as DualClassOrMethodDecorator
}
