// The settings of a tenant's transaction, as Blazon sends them: for those that send the same statements by `pg` alone.
const set = (name, value) => `pg_catalog.set_config('${name}', ${value}, true)`
const PATH = `pg_catalog.ltrim(pg_catalog.concat(${set('search_path', 'null')}, ', pg_temp'), ', ')`

/** A statement with the values of `settingsFor`. */
export const SETTINGS = `select pg_catalog.concat(${[
  set('statement_timeout', '$1'),
  set('idle_in_transaction_session_timeout', '$2'),
  set('row_security', "'on'"),
  set('search_path', PATH),
  set('role', '$3'),
  set('app.tenant_id', '$4'),
].join(', ')})`

const LIMIT_MS = '10000'

/** The values of `SETTINGS` for a tenant: the limits in milliseconds, the role and the tenant. */
export const settingsFor = (tenant) => [LIMIT_MS, LIMIT_MS, 'app_tenant', tenant]
