import { findRole, isRelated, type Role } from '../roles.js'
import { identifier } from '../schema/names.js'
import { type Examination, type Finding, finding, type Relation } from './examination.js'

/** Checks the login. It must be able to become both roles, and must have no privileges of its own. */
export async function inspectLogin(examination: Examination): Promise<Finding[]> {
  const role = await findRole(examination.connection, examination.login)
  if (role !== undefined && (role.isSuper || role.bypassesPolicies)) return [omnipotent(role)]
  return [
    ...(await checkOwnership(examination)),
    ...checkPossessions(examination),
    ...checkGrants(examination),
    ...(await checkBecoming(examination)),
    ...(await checkPowers(examination)),
    ...(role?.canReplicate === true ? [replicator(role)] : []),
    ...(role?.canCreateRoles === true ? [creator(role)] : []),
  ]
}

/**
 * Checks that the login cannot become a role whose attributes give it access to the rows of several tenants.
 * `checkOwnership` reports roles that own tables.
 */
async function checkPowers(examination: Examination): Promise<Finding[]> {
  const { login } = examination
  const names = await powersOf(examination, login, [])
  return names.map((name) => leading('login', login, name))
}

/**
 * Creates the finding for a login to which no policy applies.
 *
 * @param code The code of the finding: a warning during development. If omitted, the finding is an error.
 */
export function omnipotent(
  { name, isSuper }: Role,
  code: 'E_DATABASE_LOGIN' | 'W_DATABASE_LOGIN' = 'E_DATABASE_LOGIN',
): Finding {
  const kind = isSuper ? 'is a superuser' : 'has BYPASSRLS'
  const cause = `It ${kind}: a statement without the tenant role, such as injected SQL after RESET ROLE, sees the rows of every tenant.`
  const remedy = `Log in as another role: create role … login noinherit password '…'; then npx blazon db migrate --login …`
  return finding(code, { subject: `login ${name}`, cause, remedy })
}

function replicator({ name }: Role): Finding {
  const cause =
    'It has REPLICATION: it can copy all files of the server, which contain the rows of every tenant.'
  const remedy = `alter role ${identifier(name)} noreplication;`
  return finding('E_DATABASE_LOGIN', { subject: `login ${name}`, cause, remedy })
}

function creator({ name }: Role): Finding {
  const cause =
    'It has CREATEROLE: before PostgreSQL 16 it can make itself a member of any role, including the owner of tables.'
  const remedy = `alter role ${identifier(name)} nocreaterole;`
  return finding('W_DATABASE_LOGIN', { subject: `login ${name}`, cause, remedy })
}

/** Checks the ownership of tenant tables, because an owner can remove the policies. */
async function checkOwnership({ connection, tables, login }: Examination): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const owner of new Set(tables.map((table) => table.owner))) {
    const owned = tables.filter((table) => table.owner === owner).map(({ fullName }) => fullName)
    const subject = `login ${login}`
    if (await isRelated(connection, [login, owner], 'INHERITS')) {
      const cause = `It owns ${owned.join(', ')}${login === owner ? '' : ` as a member of ${owner}`}, so it can remove the policies.`
      const remedy = 'Use another role for the application than for the migrations.'
      findings.push(finding('E_DATABASE_LOGIN', { subject, cause, remedy }))
    } else if (await isRelated(connection, [login, owner], 'MAY_BECOME')) {
      const cause = `It can switch to ${owner}, which owns ${owned.join(', ')}.`
      const remedy = `revoke ${identifier(owner)} from ${identifier(login)};`
      findings.push(finding('W_DATABASE_LOGIN', { subject, cause, remedy }))
    }
  }
  return findings
}

/** Warns if the login owns tables or views without the column `tenant_id`, because it does not need to own them. */
function checkPossessions({ relations, login }: Examination): Finding[] {
  const owned = relations.filter(
    ({ owner, column, kind }) => owner === login && column === null && kind !== 'S',
  )
  if (owned.length === 0) return []
  const cause = `It owns ${listOf(owned)}: a statement without the tenant role, such as injected SQL after RESET ROLE, has full access to them.`
  const remedy = 'Use another role for the application than for the migrations.'
  return [finding('W_DATABASE_LOGIN', { subject: `login ${login}`, cause, remedy })]
}

/** Checks privileges that the login has without `SET ROLE`. The tenant role's policies do not apply to them. */
function checkGrants({ relations, login }: Examination): Finding[] {
  const granted = relations.filter(
    ({ loginPrivileges, sharing, kind }) =>
      loginPrivileges.length > 0 && sharing === 'none' && kind !== 'S',
  )
  if (granted.length === 0) return []
  const list = granted.map(
    ({ fullName, loginPrivileges }) => `${fullName} (${loginPrivileges.join(', ').toUpperCase()})`,
  )
  const cause = `It can access ${list.join(', ')} without SET ROLE. Injected SQL can therefore access them too, after RESET ROLE.`
  const grantees = new Set(granted.flatMap(({ loginGrantees }) => loginGrantees))
  const remedy = `revoke all on ${listOf(granted)} from ${[...grantees].map(identifier).join(', ')};`
  return [finding('E_DATABASE_LOGIN', { subject: `login ${login}`, cause, remedy })]
}

function listOf(relations: readonly Relation[]): string {
  return relations.map(({ fullName }) => fullName).join(', ')
}

async function checkBecoming(examination: Examination): Promise<Finding[]> {
  const { connection, tenantRole, allTenantsRole, login } = examination
  const findings: Finding[] = []
  const report = (cause: string, remedy: string) =>
    findings.push(finding('E_DATABASE_LOGIN', { subject: `login ${login}`, cause, remedy }))
  for (const role of [tenantRole, allTenantsRole]) {
    // Nonexistent roles are reported by `inspectRoles`.
    if ((await findRole(connection, role)) === undefined) continue
    if (await isRelated(connection, [login, role], 'MAY_BECOME')) continue
    report(`It is not allowed to switch to ${role}.`, `Run: npx blazon db migrate --login ${login}`)
  }
  if (await isRelated(connection, [login, allTenantsRole], 'INHERITS')) {
    const cause = `It inherits from ${allTenantsRole}: it can read the rows of every tenant without switching to that role.`
    report(
      cause,
      `Before PostgreSQL 16: alter role ${identifier(login)} noinherit; from PostgreSQL 16 on: grant ${identifier(allTenantsRole)} to ${identifier(login)} with inherit false;`,
    )
  }
  return findings
}

/**
 * Predefined PostgreSQL roles that reach data without policies: unprotected tables, files, and other sessions'
 * statements.
 */
const POWERS =
  "'^pg_(read|write)_all_data$|^pg_(read|write)_server_files$|^pg_execute_server_program$|^pg_monitor$|^pg_read_all_stats$'"

const LIST = `
select r.rolname as name from pg_catalog.pg_roles r
where (r.rolname = any($2) or r.rolsuper or r.rolbypassrls or r.rolcreaterole and r.rolname <> $1 or r.rolname ~ ${POWERS})
  and pg_has_role($1::name, r.oid, 'member')
order by r.rolname`

/**
 * Lists the roles that could read more than one tenant's rows and that a role is or can become. `others` contains the
 * names of additional roles with such access.
 */
export async function powersOf(
  { connection }: Examination,
  role: string,
  others: readonly string[],
): Promise<string[]> {
  const { rows } = await connection.query({ text: LIST, values: [role, others] })
  return rows.map(({ name }) => String(name))
}

/** Creates the finding for a role or a login that can become a role from {@link powersOf}. */
export function leading(kind: 'role' | 'login', member: string, name: string): Finding {
  const cause = `It is a member of ${name}, which can access, or give itself access to, the rows of several tenants.`
  const remedy = `revoke ${identifier(name)} from ${identifier(member)};`
  const code = kind === 'login' ? 'E_DATABASE_LOGIN' : 'E_DATABASE_ROLE'
  return finding(code, { subject: `${kind} ${member}`, cause, remedy })
}
