/** The setting that says in whose name a transaction works; empty or missing for nobody. */
export const TENANT_SETTING = 'app.tenant_id'

/** The role that statements run as where tenants are used. */
export const TENANT_ROLE = 'app_tenant'

/** The role of `withoutTenant`, which sees the rows of every tenant. */
export const ALL_TENANTS_ROLE = 'app_all_tenants'
