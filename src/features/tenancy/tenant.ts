import { inspect } from 'node:util'
import type { DualClassOrMethodDecorator } from '../../contracts/decorator.js'
import type { RouteModel } from '../../contracts/route-model.js'
import type { TenantDecoratorOptions } from '../../contracts/tenant.js'
import { defineOption } from '../../metadata/option.js'

const option = defineOption<TenantDecoratorOptions>('Tenant', {
  check: (options) =>
    isValid(options)
      ? undefined
      : `${inspect(options, { breakLength: Infinity })} is not a valid option. Write @Tenant(), or @Tenant({ optional: true }).`,
})

function isValid(options: unknown): boolean {
  if (typeof options !== 'object' || options === null) return false
  const { optional, ...rest } = options as Record<string, unknown>
  return [undefined, true, false].includes(optional as undefined) && Object.keys(rest).length === 0
}

/**
 * Requires a tenant on every route of a class, or on one method. A request without a tenant is refused with a 400
 * response, and `@Cache` stores separate responses for each tenant. `@Tenant` on a method overrides `@Tenant` on the
 * class.
 *
 * @param options `optional: true` also accepts requests that specify no tenant. Default: `false`.
 * @example
 * @Tenant()
 * @Controller('invoices')
 * class InvoicesController {}
 */
export function Tenant(options?: TenantDecoratorOptions): DualClassOrMethodDecorator
export function Tenant(...args: [TenantDecoratorOptions?]): DualClassOrMethodDecorator {
  const isPlain = args.length < 2 && args[0] === undefined
  return isPlain ? option({}) : option(...(args as [TenantDecoratorOptions]))
}

/**
 * Returns the `@Tenant` options of a route or its class; `undefined` without `@Tenant`.
 *
 * @example
 * const needsTenant = tenancyOf(route) !== undefined && tenancyOf(route)?.optional !== true
 */
export function tenancyOf(route: Pick<RouteModel, 'option'>): TenantDecoratorOptions | undefined {
  return route.option(option)
}
