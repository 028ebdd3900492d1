/** How a table of tenants is protected. */
export interface ProtectTableOptions {
  /** The schema of the table. Default: the first of the `search_path`, `public`. */
  readonly schema?: string
  /** The role that statements run as where tenants are used. Default `'app_tenant'`. */
  readonly tenantRole?: string
  /** The role of `withoutTenant`. Default `'app_all_tenants'`. */
  readonly allTenantsRole?: string
}

/** What a row of another table has to be, for this one's to refer to it. */
export interface TenantReference {
  /** A table of tenants, of the same schema, with a column `id`. */
  readonly table: string
  /** What becomes of a row whose other one is deleted. Default: the other one cannot be deleted. */
  readonly onDelete?: 'cascade'
}

/** What a table of tenants has, beside the tenant. */
export interface TenantTableOptions extends ProtectTableOptions {
  /** Columns and checks in SQL, as they stand in `CREATE TABLE`: `'total numeric(12, 2) not null'`. */
  readonly columns: readonly string[]
  /**
   * The column `id`, unique within a tenant. `'bigint'` is a number that PostgreSQL gives, one count for all tenants: it tells each how many
   * rows the others add. `'uuid'` is random. `'text'` is given by you. Default `'bigint'`.
   */
  readonly id?: 'bigint' | 'uuid' | 'text'
  /** Columns that are unique together, within a tenant: `[['email'], ['year', 'number']]`. Default: none. */
  readonly unique?: readonly (readonly string[])[]
  /** Columns that refer to the `id` of a row of the same tenant: `{ customer_id: 'customers' }`. Each has an index. Default: none. */
  readonly references?: Readonly<Record<string, string | TenantReference>>
}
