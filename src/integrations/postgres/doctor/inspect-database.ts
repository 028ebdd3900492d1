import { ConfigError, type Logger } from '../../../index.js'
import { formatProblem } from '../../../plugin/index.js'
import type { Connection, Driver } from '../driver.js'
import { PostgresError } from '../postgres-error.js'
import { findRole, type Role } from '../roles.js'
import { identifier, TENANT_SETTING } from '../schema/names.js'
import { interrupted, releaseCanary } from './canary.js'
import {
  type DoctorOptions,
  type Examination,
  type Finding,
  finding,
  type Setting,
} from './examination.js'
import { inspectOpenings, inspectStorage } from './inspect-grants.js'
import { inspectKeys } from './inspect-keys.js'
import { inspectLogin, leading, powersOf } from './inspect-login.js'
import { inspectPolicies } from './inspect-policies.js'
import { inspectReach } from './inspect-reach.js'
import { inspectTables } from './inspect-tables.js'
import { isOfExtension, isTenantTable, readRelations, USER_SCHEMA } from './read-relations.js'

/** The maximum number of attempts. The doctor starts again if another session locks a table in the meantime. */
const ATTEMPTS = 3

const OF_TENANTS = [
  inspectPolicies,
  inspectReach,
  inspectFunctions,
  inspectStorage,
  inspectOpenings,
] as const

/**
 * Searches for ways in which one tenant could reach another tenant's rows: through the login, roles, tables, policies,
 * views, functions, keys and large objects. Also tries such access. Changes nothing: the tests are rolled back, and
 * have timeouts so that they do not block other sessions.
 *
 * @param connection A connection with the application's login, without an open transaction.
 * @returns the findings, errors first.
 * @throws HttpError 503 if the connection is lost; PostgresError if a table was locked during each attempt.
 */
export async function inspectDatabase(
  connection: Connection,
  options: DoctorOptions,
): Promise<Finding[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await inspect(connection, options)
    } catch (error) {
      // Another session has just locked a table. The next attempt will detect the lock and skip that table.
      const isLocked = error instanceof PostgresError && error.code === '55P03'
      if (!isLocked || attempt === ATTEMPTS) throw error
    }
  }
}

async function inspect(connection: Connection, options: DoctorOptions): Promise<Finding[]> {
  const { examination, findings } = await inTransaction(connection, async () => {
    const examination = await examinationOf(connection, options)
    return { examination, findings: await inspectCatalog(examination) }
  })
  findings.push(...examination.lockedRelations.map(interrupted))
  if (examination.mayBecomeTenant) findings.push(...(await releaseCanary(examination)))
  return findings.sort((a, b) => Number(b.severity === 'error') - Number(a.severity === 'error'))
}

/**
 * Prevents an application from starting if its database does not separate tenants. Logs warnings.
 *
 * @param driver An open driver.
 * @throws ConfigError with every error that {@link inspectDatabase} found; HttpError 503 if the database cannot be
 * reached.
 */
export async function assertIsolation(
  driver: Driver,
  { logger, ...options }: Omit<DoctorOptions, 'isEmbedded'> & { readonly logger: Logger },
): Promise<void> {
  const findings = await examine(driver, options)
  const warnings = findings.filter(({ severity }) => severity === 'warning')
  for (const warning of warnings) logger.warn({ code: warning.code }, formatProblem(warning))
  const errors = findings.filter(({ severity }) => severity === 'error')
  if (errors.length > 0) throw new ConfigError(errors)
}

/** Runs {@link inspectDatabase} on a connection of an open driver. */
export async function examine(
  driver: Driver,
  roles: Omit<DoctorOptions, 'isEmbedded'>,
): Promise<Finding[]> {
  const connection = await driver.connect()
  try {
    return await inspectDatabase(connection, { ...roles, isEmbedded: driver.isEmbedded })
  } finally {
    connection.release()
  }
}

async function examinationOf(connection: Connection, options: DoctorOptions): Promise<Examination> {
  const setting = await readSetting(connection, options)
  const all = await readRelations(connection, setting)
  const relations = all.filter(({ isLocked }) => !isLocked)
  const lockedRelations = all.filter(
    (relation) => relation.isLocked && (isTenantTable(relation) || relation.isReachable),
  )
  const tables = relations.filter(isTenantTable)
  return { ...options, ...setting, connection, relations, tables, lockedRelations }
}

// Superusers are excluded, because they can become every role. A role that can only administer another role (ADMIN
// OPTION) counts as a member of that role, because it can grant itself the membership.
const READ = `
select current_setting('server_version_num')::int as version, session_user as login,
  array(
    select r.oid from pg_catalog.pg_roles t join pg_catalog.pg_roles r on r.oid = t.oid or (
      not t.rolsuper and not r.rolsuper and r.rolname <> $2 and r.rolname !~ '^pg_' and pg_has_role(t.oid, r.oid, 'member')
    )
    where t.rolname = $1
  ) as tenant_roles,
  array(
    select r.oid from pg_catalog.pg_roles l join pg_catalog.pg_roles r on pg_has_role(l.oid, r.oid, 'usage')
    where l.rolname = session_user and not l.rolsuper and not r.rolsuper and r.rolname <> $2 and r.rolname !~ '^pg_'
      and not exists (
        select from pg_catalog.pg_roles t
        where t.rolname = $1 and not t.rolsuper and pg_has_role(t.oid, r.oid, 'member')
      )
  ) as login_roles,
  exists (
    select from pg_catalog.pg_roles t
    where t.rolname = $1 and pg_has_role(session_user, t.oid,
      case when current_setting('server_version_num')::int >= 160000 then 'set' else 'member' end)
  ) as may_become`

async function readSetting(
  connection: Connection,
  { tenantRole, allTenantsRole }: DoctorOptions,
): Promise<Setting> {
  const { rows } = await connection.query({ text: READ, values: [tenantRole, allTenantsRole] })
  const [row] = rows
  return {
    version: Number(row?.['version']),
    login: String(row?.['login']),
    tenantRoles: row?.['tenant_roles'] as number[],
    loginRoles: row?.['login_roles'] as number[],
    mayBecomeTenant: row?.['may_become'] === true,
  }
}

async function inspectCatalog(examination: Examination): Promise<Finding[]> {
  const findings = [
    ...(examination.isEmbedded ? [] : await inspectLogin(examination)),
    ...(await inspectRoles(examination)),
    ...inspectTables(examination),
    ...(await inspectKeys(examination)),
  ]
  // A tenant role that does not exist has no access. `inspectRoles` has already reported the missing role.
  if (examination.tenantRoles.length === 0) return findings
  for (const inspect of OF_TENANTS) findings.push(...(await inspect(examination)))
  return findings
}

/**
 * Runs the catalog checks. When PostgreSQL reads policies, it waits for locks on their tables, so the wait is limited.
 * With this `search_path`, PostgreSQL prints a schema for every name that is not built in.
 */
async function inTransaction<T>(connection: Connection, run: () => Promise<T>): Promise<T> {
  await connection.script(
    `begin read only; set local lock_timeout = '1s'; set local search_path = pg_catalog, pg_temp`,
  )
  try {
    return await run()
  } finally {
    await connection.script('rollback')
  }
}

async function inspectRoles(examination: Examination): Promise<Finding[]> {
  const { connection, tenantRole, allTenantsRole } = examination
  const findings: Finding[] = []
  for (const name of [tenantRole, allTenantsRole]) {
    const role = await findRole(connection, name)
    if (role === undefined) findings.push(missing(name))
    else findings.push(...checkAttributes(role))
  }
  return findings.length > 0 ? findings : await checkReach(examination)
}

function missing(name: string): Finding {
  const remedy = 'To create the role, run: npx blazon db migrate'
  const facts = { subject: `role ${name}`, cause: 'It does not exist.', remedy }
  return finding('E_DATABASE_ROLE', facts)
}

function checkAttributes(role: Role): Finding[] {
  const { name, isSuper, bypassesPolicies, canLogin, canCreateRoles } = role
  const faults: [isFault: boolean, cause: string, attribute: string][] = [
    [isSuper, 'It is a superuser: no policy applies to it.', 'nosuperuser'],
    [bypassesPolicies, 'It has BYPASSRLS: no policy applies to it.', 'nobypassrls'],
    [canLogin, 'It can log in, but it should only be a role to which logins switch.', 'nologin'],
    [
      canCreateRoles,
      'It has CREATEROLE: it can make itself a member of other roles.',
      'nocreaterole',
    ],
  ]
  return faults
    .filter(([isFault]) => isFault)
    .map(([, cause, attribute]) => {
      const remedy = `alter role ${identifier(name)} ${attribute};`
      return finding('E_DATABASE_ROLE', { subject: `role ${name}`, cause, remedy })
    })
}

/** Checks that the tenant role is not, and cannot become, a role that could read more than one tenant's rows. */
async function checkReach(examination: Examination): Promise<Finding[]> {
  const { tables, tenantRole, allTenantsRole } = examination
  const others = [allTenantsRole, ...tables.map(({ owner }) => owner)]
  const names = await powersOf(examination, tenantRole, others)
  return names.map((name) =>
    name === tenantRole ? owning(examination) : leading('role', tenantRole, name),
  )
}

function owning({ tables, tenantRole }: Examination): Finding {
  const owned = tables.filter(({ owner }) => owner === tenantRole).map(({ fullName }) => fullName)
  const cause = `It owns ${owned.join(', ')}, so it can remove the policies.`
  const remedy = 'Make the login that runs the migrations the owner: alter table … owner to …;'
  return finding('E_DATABASE_ROLE', { subject: `role ${tenantRole}`, cause, remedy })
}

// The settings of a function are active while it runs. They can include the role and the tenant.
const LIST = `
select n.nspname as schema, p.proname as name, pg_get_function_identity_arguments(p.oid) as arguments,
  o.rolname as owner, p.prosecdef as definer, c.setting
from pg_catalog.pg_proc p
  join pg_catalog.pg_namespace n on n.oid = p.pronamespace
  join pg_catalog.pg_roles o on o.oid = p.proowner
  left join lateral (
    select s as setting from unnest(p.proconfig) s where lower(split_part(s, '=', 1)) in ('${TENANT_SETTING}', 'role', 'session_authorization')
    limit 1
  ) c on true
where (p.prosecdef or c.setting is not null) and ${USER_SCHEMA} and not ${isOfExtension('p.oid', 'pg_proc')}
  and exists (
    select from unnest($1::oid[]) role
    where has_function_privilege(role, p.oid, 'execute') and has_schema_privilege(role, n.oid, 'usage')
  )
order by schema, name, arguments`

/**
 * Checks functions that run as another role or for another tenant, because the policies then do not apply to the role
 * and the tenant of the caller.
 */
async function inspectFunctions({
  connection,
  tenantRole,
  tenantRoles,
}: Examination): Promise<Finding[]> {
  const { rows } = await connection.query({ text: LIST, values: [tenantRoles] })
  return rows.map((row) => {
    const name = `${identifier(String(row['schema']))}.${identifier(String(row['name']))}(${row['arguments']})`
    const how =
      row['definer'] === true
        ? `It is SECURITY DEFINER: it runs with the privileges of ${row['owner']}, even if another role calls it.`
        : `It runs with its own setting, ${row['setting']}, for every caller.`
    const remedy = `Make sure that it returns no data of other tenants. Otherwise: revoke execute on function ${name} from public, ${identifier(tenantRole)};`
    return finding('W_DATABASE_FUNCTION', { subject: `function ${name}`, cause: how, remedy })
  })
}
