import { ConfigError } from '../../../index.js'
import { type OptionNames, refuseUnknown } from '../../../plugin/index.js'
import { ALL_TENANTS_ROLE, faultOfName, identifier, TENANT_ROLE } from '../schema/names.js'

/** Options of {@link apiKeysTable}. */
export interface ApiKeysTableOptions {
  /**
   * The login of an application without tenants. It is allowed to find, list, create and revoke keys. If omitted, the
   * application has tenants, and its two roles get these privileges.
   */
  readonly login?: string
  /**
   * The role that runs statements for a tenant or without a tenant. It is allowed only to find a key by its hash and to
   * record its use. Default: `'app_tenant'`.
   */
  readonly tenantRole?: string
  /**
   * The role that runs statements in `withoutTenant`. It is allowed to list, create and revoke keys. Default:
   * `'app_all_tenants'`.
   */
  readonly allTenantsRole?: string
}

const NAMES: OptionNames<ApiKeysTableOptions> = {
  login: true,
  tenantRole: true,
  allTenantsRole: true,
}

/**
 * Returns the SQL of a migration for API keys: the table `blazon.api_keys` and two functions. A guard looks up a key
 * before the tenant is known, so no policy can protect the table. Instead, the tenant role has no privileges on the
 * table and is only allowed to call the functions. The functions run as their owner (`security definer`) and reach only
 * the row with a given hash.
 *
 * @throws ConfigError if an option is unknown or a name is invalid.
 * @example
 * await writeFile('migrations/0007_create_api_keys.sql', apiKeysTable())
 */
export function apiKeysTable(options: ApiKeysTableOptions = {}): string {
  refuseUnknown('apiKeysTable()', options, NAMES)
  checkNames(options)
  const { login, tenantRole = TENANT_ROLE, allTenantsRole = ALL_TENANTS_ROLE } = options
  const keepers = identifier(login ?? allTenantsRole)
  const finders = login === undefined ? `${identifier(tenantRole)}, ${keepers}` : keepers
  return `create schema if not exists blazon;
create table blazon.api_keys (
  id text primary key check (id <> ''),
  -- The SHA-256 of the key, never the key.
  hash text not null unique check (hash ~ '^[0-9a-f]{64}$'),
  start text not null,
  name text,
  tenant_id text check (tenant_id <> ''),
  permissions text[] not null default '{}',
  roles text[] not null default '{}',
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz
);
create index on blazon.api_keys (tenant_id);

-- These functions run as their owner: the caller has no privileges on the table, and reaches only the row for a known hash.
create function blazon.find_api_key(wanted text)
returns table (id text, hash text, name text, tenant text, permissions text[], roles text[], expires_at timestamptz, revoked_at timestamptz)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select k.id, k.hash, k.name, k.tenant_id, k.permissions, k.roles, k.expires_at, k.revoked_at
  from blazon.api_keys k where k.hash = wanted
$$;
create function blazon.use_api_key(wanted text) returns void
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  update blazon.api_keys set last_used_at = clock_timestamp() where hash = wanted
$$;
revoke all on table blazon.api_keys from public;
revoke all on function blazon.find_api_key(text), blazon.use_api_key(text) from public;
grant usage on schema blazon to ${finders};
grant execute on function blazon.find_api_key(text), blazon.use_api_key(text) to ${finders};
grant select, insert, update, delete on blazon.api_keys to ${keepers};
`
}

function checkNames({ login, tenantRole, allTenantsRole }: ApiKeysTableOptions): void {
  const problems = Object.entries({ login, tenantRole, allTenantsRole }).flatMap(
    ([name, value]) => {
      const cause = value === undefined ? null : faultOfName(value)
      const subject = `apiKeysTable(): ${name}`
      const remedy = 'Pass a role name.'
      return cause === null ? [] : [{ code: 'E_OPTION_INVALID' as const, subject, cause, remedy }]
    },
  )
  if (problems.length > 0) throw new ConfigError(problems)
}
