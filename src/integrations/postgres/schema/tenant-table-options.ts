/** The options that protect a tenant table. */
export interface ProtectTableOptions {
  /** The schema of the table. Default: the first schema of the `search_path`, usually `public`. */
  readonly schema?: string
  /** The role that runs statements in an application with tenants. Default: `'app_tenant'`. */
  readonly tenantRole?: string
  /** The role that runs statements in `withoutTenant`. Default: `'app_all_tenants'`. */
  readonly allTenantsRole?: string
}

/** The table that a column references. */
export interface TenantReference {
  /** A tenant table in the same schema, with a column `id`. */
  readonly table: string
  /**
   * With `'cascade'`, a row is deleted when the row that it references is deleted. If omitted, a referenced row cannot
   * be deleted.
   */
  readonly onDelete?: 'cascade'
}

/** The columns and keys of a tenant table. The column `tenant_id` is added. */
export interface TenantTableOptions extends ProtectTableOptions {
  /** Columns and checks in SQL, as in `CREATE TABLE`: `'total numeric(12, 2) not null'`. */
  readonly columns: readonly string[]
  /**
   * The type of the column `id`, which is unique within a tenant. `'bigint'`: PostgreSQL generates a number from one
   * sequence for all tenants, so a tenant can estimate how many rows other tenants add. `'uuid'`: PostgreSQL generates
   * a random value. `'text'`: the application sets the value. Default: `'bigint'`.
   */
  readonly id?: 'bigint' | 'uuid' | 'text'
  /** Groups of columns whose values are unique within a tenant: `[['email'], ['year', 'number']]`. Default: none. */
  readonly unique?: readonly (readonly string[])[]
  /**
   * Columns that reference the `id` of a row of the same tenant: `{ customer_id: 'customers' }`. Each of them gets an
   * index. Default: none.
   */
  readonly references?: Readonly<Record<string, string | TenantReference>>
}
