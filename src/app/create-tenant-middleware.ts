import type { RequestHandler } from '../contracts/handler.js'
import { ConfigError } from '../errors/config-error.js'
import { buildTenantMiddleware } from '../features/tenancy/enter-scope.js'
import {
  type TenantMiddlewareOptions,
  tenantSourceGroup,
} from '../features/tenancy/tenant-options.js'
import { systemClock } from './system-clock.js'

/**
 * Makes the built-in tenant middleware, for a router, an Express application, or `middlewares` (specification section 2.7).
 * An application with the `tenant` option has it already, and needs no second one. What follows runs in the scope of the
 * tenant that the request names; a request that names none keeps the one it has. It identifies and does not authorise.
 *
 * What `store` says is remembered by real time, whatever the clock of a test says.
 *
 * @param options As the `tenant` option, without `authorize`, which needs a guard before it. Default: the header `x-tenant-id`.
 * @throws ConfigError for options that mean nothing.
 * @example
 * express().use(createTenantMiddleware({ header: 'x-org' }))
 */
export function createTenantMiddleware(options: TenantMiddlewareOptions = {}): RequestHandler {
  const problems = [...tenantSourceGroup.check(options), ...tenantSourceGroup.unknown(options)]
  if (problems.length > 0) throw new ConfigError(problems)
  return buildTenantMiddleware(tenantSourceGroup.resolve(options), systemClock)
}
