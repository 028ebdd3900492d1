import type { Feature } from '../../step/feature.js'
import { type TenancySetting, warnOfTenancy } from './check-tenancy.js'
import { tenantFacts, tenantResponses } from './tenant-responses.js'
import type { TenantSettings } from './tenant-settings.js'

/** The settings that tenants depend on. */
export interface TenancySettings {
  readonly tenant: TenantSettings | null
  readonly middlewares: readonly unknown[]
}

/** The option `tenant`, and `@Tenant`. Its steps have places of their own. */
export const tenancy: Feature<TenancySettings> = {
  name: 'tenant',
  compare: ({ settings: { tenant, middlewares }, model }) => {
    const setting: TenancySetting = {
      ...model,
      tenant,
      hasMiddlewares: middlewares.length > 0,
      isProduction: process.env['NODE_ENV'] === 'production',
    }
    return warnOfTenancy(setting)
  },
  contract: ({ tenant }) => tenantResponses(tenant),
  facts: ({ tenant }) => tenantFacts(tenant),
}
