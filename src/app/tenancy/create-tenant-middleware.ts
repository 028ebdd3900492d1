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
 * Creates the tenant middleware for a router, an Express application or `middlewares`. An application with the
 * `tenant` option has it already. All later middlewares and handlers run in the scope of the tenant that the
 * request names. A request that names none keeps its current tenant. The middleware only identifies the tenant;
 * it does not check whether the user may act for it.
 *
 * The results of `store` are cached by real time, even if a test has replaced the clock of the application.
 *
 * @param options As the `tenant` option, without `authorize`, which needs a guard. Default: the header
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
