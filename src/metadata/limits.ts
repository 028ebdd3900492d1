import type { DualClassOrMethodDecorator } from '../contracts/decorator.js'
import type { RouteLimits } from '../contracts/limits.js'
import { classOrMethod, refuseBare } from './write.js'

/**
 * Sets limits for requests to a class or method, in place of the application's limits: the body size, the nesting of
 * JSON bodies, and the time that a handler can take. A field on a method overrides the same field on the class, and a
 * field on a class overrides the same field on its base class.
 *
 * @param limits `body` in bytes or with a unit (`'5mb'`). `depth` as an integer. `timeout` in seconds or with a unit
 * (`'5s'`); `false` for no time limit. Default for each field: the limit on the class, otherwise the limit in the
 * `limits` and `timeouts` options.
 * @example
 * @Limits({ body: '5mb', timeout: '2m' })
 * @Post('import')
 * import(req: Request) { return imports.start(req.body) }
 */
export function Limits(limits: RouteLimits): DualClassOrMethodDecorator
export function Limits(...args: readonly unknown[]): DualClassOrMethodDecorator {
  refuseBare('@Limits', args[0], args[1])
  return classOrMethod('@Limits()', { kind: 'limits', limits: args[0] as RouteLimits })
}
