import type {
  DualClassOrMethodDecorator,
  LegacyParameterDecorator,
} from '../contracts/decorator.js'
import type { TenantDecoratorOptions } from '../contracts/tenant.js'
import { decorator, refuseArguments, refuseBare } from './write.js'

/**
 * Marks every route of a class, or one, as belonging to a tenant: a request without one is 400, and what `@Cache` keeps is
 * kept apart by tenant (specification sections 2.7 and 4.9). A method's own word wins over its class's.
 *
 * @param options `optional: true` also answers requests that name no tenant. Default `false`.
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
 * Passes the id of the request's tenant to a handler parameter, `undefined` where there is none (legacy dialect).
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
