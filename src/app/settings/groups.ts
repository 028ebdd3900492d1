import type { MiddlewareList } from '../../contracts/handler.js'
import type { OptionGroup } from '../../errors/option-group.js'
import { FEATURE_GROUPS } from '../../features/index.js'
import { loggerGroup } from '../../features/logs/logger-options.js'
import { tenantGroup } from '../../features/tenancy/tenant-options.js'
import { swaggerGroup } from '../../openapi/swagger-options.js'
import type { AppOptions } from './app-options.js'
import { authGroup } from './auth-options.js'
import { cookieGroup } from './cookie-options.js'
import { errorGroup } from './error-options.js'
import { limitGroup } from './limit-options.js'
import * as lists from './list-options.js'
import { prefixGroup, statusGroup } from './path-options.js'
import * as plain from './plain-options.js'
import { envelopeGroup, openapiGroup, trustProxyGroup } from './plain-options.js'
import { recordsGroup } from './records-options.js'
import { responseGroup } from './response-options.js'
import type { Settings } from './settings.js'
import { timeoutGroup } from './timeout-options.js'
import { validationGroup } from './validation-options.js'

/**
 * One group for each option. The name of its setting is the name of the option, unless several options share a setting.
 */
type Groups = {
  readonly [K in keyof Required<AppOptions>]: OptionGroup<never, OwnSettings[K]>
}

/** The setting that each option results in, by option name. */
export type OwnSettings = Omit<Settings, 'middlewares' | 'tenant'> & {
  readonly middlewares: MiddlewareList
  readonly openapi: Settings['swagger'] | null
  readonly requestIds: boolean | null
  readonly tenant: ReturnType<typeof tenantGroup.resolve>
}

/**
 * The options of an application, with the functions that check each option and turn it into settings. The types and
 * docstrings are in `app-options.ts`. The options of features come last.
 */
const GROUPS: Groups = {
  controllers: lists.controllerGroup,
  modules: lists.moduleGroup,
  prefix: prefixGroup,
  defaultStatus: statusGroup,
  providers: lists.providerGroup,
  middlewares: lists.middlewareGroup,
  interceptors: lists.interceptorGroup,
  plugins: lists.pluginGroup,
  auth: authGroup,
  tenant: tenantGroup,
  swagger: swaggerGroup,
  openapi: openapiGroup,
  limits: limitGroup,
  cookies: cookieGroup,
  validation: validationGroup,
  envelope: envelopeGroup,
  errors: errorGroup,
  responses: responseGroup,
  records: recordsGroup,
  timeouts: timeoutGroup,
  trustProxy: trustProxyGroup,
  etag: plain.etagGroup,
  logger: loggerGroup,
  requestIds: plain.requestIdGroup,
  trustRequestId: plain.trustIdGroup,
  onError: plain.onErrorGroup,
  strict: plain.strictGroup,
  testOverrides: lists.overrideGroup,
  ...FEATURE_GROUPS,
}

const NAMES = Object.keys(GROUPS) as (keyof Groups)[]

/** Calls a function for each option, in the order of the groups. */
export function eachGroup<T>(
  options: AppOptions,
  call: (group: OptionGroup<unknown, unknown>, option: unknown, name: keyof Groups) => T,
): T[] {
  // The value of each option fits the group of the same name. TypeScript cannot express this in an iteration.
  return NAMES.map((name) =>
    call(GROUPS[name] as OptionGroup<unknown, unknown>, options[name], name),
  )
}
