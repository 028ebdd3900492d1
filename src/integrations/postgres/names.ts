/** The setting that holds the tenant of a transaction. Without a tenant it is empty or missing. */
export const TENANT_SETTING = 'app.tenant_id'

/** The role as which statements run when the application uses tenants. */
export const TENANT_ROLE = 'app_tenant'

/** The role of `withoutTenant`, which sees the rows of every tenant. */
export const ALL_TENANTS_ROLE = 'app_all_tenants'
