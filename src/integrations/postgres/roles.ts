import { ConfigError } from '../../index.js'
import type { Problem } from '../../plugin/index.js'
import type { Connection } from './driver.js'
import { PostgresError } from './postgres-error.js'
import { identifier } from './schema/names.js'

/** The attributes of a role that matter for policies. */
export interface Role {
  readonly name: string
  readonly isSuper: boolean
  /** Whether the role has `BYPASSRLS`. */
  readonly bypassesPolicies: boolean
  readonly canLogin: boolean
  /** Whether the role has `CREATEROLE`. */
  readonly canCreateRoles: boolean
  /** Whether the role has `REPLICATION`. */
  readonly canReplicate: boolean
}

/** The relation between two roles: the first can become the second, or inherits its privileges without becoming it. */
export type Relation = 'MAY_BECOME' | 'INHERITS'

const FIND =
  'select rolsuper, rolbypassrls, rolcanlogin, rolcreaterole, rolreplication from pg_catalog.pg_roles where rolname = $1'

// Returns no row if one of the roles does not exist. Since PostgreSQL 16, a membership can allow only inheritance.
const RELATED = `
select pg_has_role(member.oid, role.oid, case
  when $3 = 'INHERITS' then 'USAGE'
  when current_setting('server_version_num')::int >= 160000 then 'SET'
  else 'MEMBER'
end) as related
from pg_catalog.pg_roles member, pg_catalog.pg_roles role
where member.rolname = $1 and role.rolname = $2`

/** Reads the version as `server_version_num`: 150004 means 15.4. */
async function serverVersion(connection: Connection): Promise<number> {
  const text = "select current_setting('server_version_num')::int as version"
  const { rows } = await connection.query({ text })
  return Number(rows[0]?.['version'])
}

/** Finds a role by name; `undefined` if it does not exist. */
export async function findRole(connection: Connection, name: string): Promise<Role | undefined> {
  const { rows } = await connection.query({ text: FIND, values: [name] })
  const [row] = rows
  if (row === undefined) return undefined
  return {
    name,
    isSuper: row['rolsuper'] === true,
    bypassesPolicies: row['rolbypassrls'] === true,
    canLogin: row['rolcanlogin'] === true,
    canCreateRoles: row['rolcreaterole'] === true,
    canReplicate: row['rolreplication'] === true,
  }
}

/**
 * Whether a role has a relation to another role. Every role has both relations to itself, and a superuser has both to
 * all roles.
 */
export async function isRelated(
  connection: Connection,
  [member, role]: readonly [member: string, role: string],
  relation: Relation,
): Promise<boolean> {
  const { rows } = await connection.query({ text: RELATED, values: [member, role, relation] })
  return rows[0]?.['related'] === true
}

/** The roles that run statements if the application uses tenants, and the login that can become them. */
export interface RoleOptions {
  readonly tenantRole: string
  readonly allTenantsRole: string
  /** The role with which the application logs in. It must be able to become both roles. */
  readonly login?: string | undefined
}

const ATTRIBUTES = 'nologin nosuperuser nobypassrls noinherit'
/** The SQLSTATEs which mean that another process has created the role or the membership, or is creating it. */
const MADE_BY_ANOTHER = ['42710', '23505', 'XX000']

/**
 * Ensures that both roles exist, have no dangerous attributes and can use the schema `public`, and that `login` can
 * become them. Creates only missing roles and privileges, so once the roles exist, the login no longer needs the
 * privilege to create roles.
 *
 * @param connection A connection with an open transaction.
 * @throws ConfigError if a role or `login` has dangerous attributes, `login` does not exist or inherits from the
 * all-tenants role, or a role or a privilege is missing that this login is not allowed to create. The error contains
 * the SQL that an administrator must run.
 */
export async function ensureRoles(connection: Connection, options: RoleOptions): Promise<void> {
  const names = [options.tenantRole, options.allTenantsRole]
  for (const name of names) await ensureRole(connection, name, options)
  for (const name of names) await ensureUsage(connection, name)
  if (options.login === undefined) return
  await checkLogin(connection, options.login)
  for (const name of names) await ensureMembership(connection, name, options.login)
  await checkInheritance(connection, options.allTenantsRole, options.login)
}

async function ensureRole(connection: Connection, name: string, options: RoleOptions) {
  const create = createRole(name)
  if ((await findRole(connection, name)) === undefined) {
    await attempt(connection, create, () => mayNot(name, 'It does not exist', script(options)))
  }
  const role = await findRole(connection, name)
  if (role === undefined) throw mayNot(name, 'It does not exist', script(options))
  assertHarmless(role)
}

function assertHarmless({ name, isSuper, bypassesPolicies, canLogin }: Role): void {
  const faults = [
    ...(isSuper ? ['is a superuser'] : []),
    ...(bypassesPolicies ? ['has BYPASSRLS'] : []),
    ...(canLogin ? ['can log in'] : []),
  ]
  if (faults.length === 0) return
  const cause = `It ${faults.join(' and ')}. A role that runs the application's statements must not have such attributes.`
  const remedy = `Use another role, or run as an administrator: alter role ${identifier(name)} ${ATTRIBUTES};`
  throw roleError(name, cause, remedy)
}

async function ensureUsage(connection: Connection, name: string): Promise<void> {
  // `to_regnamespace` returns null if the schema was dropped.
  const text = `select coalesce(pg_catalog.has_schema_privilege($1::name, to_regnamespace('public')::oid, 'usage'), true) as may`
  const { rows } = await connection.query({ text, values: [name] })
  if (rows[0]?.['may'] === true) return
  const grant = `grant usage on schema public to ${identifier(name)}`
  await attempt(connection, grant, () =>
    mayNot(name, 'It is not allowed to use the schema public', `${grant};`),
  )
}

async function checkLogin(connection: Connection, login: string): Promise<void> {
  const role = await findRole(connection, login)
  const name = identifier(login)
  if (role === undefined) {
    const remedy = `Run as an administrator: create role ${name} login noinherit password '…';`
    throw loginError(login, 'There is no such role.', remedy)
  }
  if (!role.isSuper && !role.bypassesPolicies) return
  const fault = role.isSuper ? 'is a superuser' : 'has BYPASSRLS'
  const remedy = `Use another login, or run as an administrator: alter role ${name} nosuperuser nobypassrls noinherit;`
  throw loginError(login, `It ${fault}: no policy applies to it.`, remedy)
}

async function ensureMembership(connection: Connection, name: string, login: string) {
  if (await isRelated(connection, [login, name], 'MAY_BECOME')) return
  // Since PostgreSQL 16, each membership specifies whether it inherits; in earlier versions, the member role does.
  const kind = (await serverVersion(connection)) >= 160_000 ? ' with inherit false, set true' : ''
  const grant = `grant ${identifier(name)} to ${identifier(login)}${kind}`
  await attempt(connection, grant, () =>
    loginFault(
      login,
      `It is not allowed to switch to ${name}, and the login that runs the migrations is not allowed to grant this role.`,
      grant,
    ),
  )
}

/**
 * Checks that a login does not inherit from the all-tenants role. Otherwise, it could read the rows of every tenant
 * without becoming that role.
 */
async function checkInheritance(connection: Connection, name: string, login: string) {
  if (!(await isRelated(connection, [login, name], 'INHERITS'))) return
  const [role, member] = [identifier(name), identifier(login)]
  const isPerGrant = (await serverVersion(connection)) >= 160_000
  const change = isPerGrant
    ? `revoke ${role} from ${member}; grant ${role} to ${member} with inherit false, set true;`
    : `alter role ${member} noinherit;`
  const cause = `It inherits the privileges of ${name}, so it can read the rows of every tenant without switching to that role.`
  throw loginError(login, cause, `Run as an administrator: ${change}`)
}

/**
 * Runs a statement that another process may be running at the same time. Roles belong to the whole server, but the
 * migration lock belongs to one database.
 *
 * @param refuse Creates the error to throw if this login lacks the privilege to run the statement.
 */
async function attempt(
  connection: Connection,
  sql: string,
  refuse: () => ConfigError,
): Promise<void> {
  await connection.script('savepoint attempt')
  try {
    await connection.script(sql)
  } catch (error) {
    if (!(error instanceof PostgresError)) throw error
    await connection.script('rollback to savepoint attempt')
    if (error.code === '42501') throw refuse()
    if (!MADE_BY_ANOTHER.includes(error.code)) throw error
  }
  await connection.script('release savepoint attempt')
}

function createRole(name: string): string {
  return `create role ${identifier(name)} ${ATTRIBUTES}`
}

/** Returns the SQL that an administrator must run once, for both roles. */
function script({ tenantRole, allTenantsRole, login }: RoleOptions): string {
  const [one, all] = [identifier(tenantRole), identifier(allTenantsRole)]
  return [
    createRole(tenantRole),
    createRole(allTenantsRole),
    `grant usage on schema public to ${one}, ${all}`,
    ...(login === undefined ? [] : [`grant ${one}, ${all} to ${identifier(login)}`]),
  ]
    .map((statement) => `${statement};`)
    .join(' ')
}

function mayNot(name: string, what: string, sql: string): ConfigError {
  return roleError(
    name,
    `${what}, and this login is not allowed to run the necessary SQL.`,
    `Run as an administrator: ${sql}`,
  )
}

function loginFault(login: string, cause: string, sql: string): ConfigError {
  return loginError(login, cause, `Run as an administrator: ${sql};`)
}

function roleError(name: string, cause: string, remedy: string): ConfigError {
  return new ConfigError([
    { code: 'E_DATABASE_ROLE', subject: `role ${name}`, cause, remedy } satisfies Problem,
  ])
}

function loginError(login: string, cause: string, remedy: string): ConfigError {
  return new ConfigError([
    { code: 'E_DATABASE_LOGIN', subject: `login ${login}`, cause, remedy } satisfies Problem,
  ])
}
