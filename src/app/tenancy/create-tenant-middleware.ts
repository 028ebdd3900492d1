import type { RequestHandler } from '../../contracts/handler.js'
import { ConfigError } from '../../errors/config-error.js'
import { buildTenantMiddleware } from '../../features/tenancy/enter-scope.js'
import {
  type TenantMiddlewareOptions,
  tenantSourceGroup,
} from '../../features/tenancy/tenant-options.js'
import { noteRefusal } from '../../http/continuations.js'
import { systemClock } from '../system-clock.js'

/**
 * Creates the tenant middleware for a router, an Express application or `middlewares`. An application with the option
 * `tenant` does not need this middleware. All later middlewares and handlers run in the scope of the tenant that the
 * request specifies. If the request specifies no tenant, the current tenant does not change. The middleware only
 * identifies the tenant; it does not check whether the user is allowed to act for the tenant.
 *
 * The results of `store` are cached in real time, even if a test has replaced the clock of the application.
 *
 * @param options Like the option `tenant`, but without `authorize`, which requires a guard. Default: the header
 * `x-tenant-id`.
 * @throws ConfigError for invalid options.
 * @example
 * express().use(createTenantMiddleware({ header: 'x-org' }))
 */
export function createTenantMiddleware(options: TenantMiddlewareOptions = {}): RequestHandler {
  const problems = [...tenantSourceGroup.check(options), ...tenantSourceGroup.unknown(options)]
  if (problems.length > 0) throw new ConfigError(problems)
  return buildTenantMiddleware(tenantSourceGroup.resolve(options), {
    clock: systemClock,
    onRefusal: noteRefusal,
  })
}
