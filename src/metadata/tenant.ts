import type {
  DualClassOrMethodDecorator,
  LegacyParameterDecorator,
} from '../contracts/decorator.js'
import type { TenantDecoratorOptions } from '../contracts/tenant.js'
import { decorator, refuseArguments, refuseBare } from './write.js'

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
