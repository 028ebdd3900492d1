import { findRole, isRelated, type Role } from '../roles.js'
import { identifier } from '../schema/identifier.js'
import type { Examination } from './examination.js'
import { type Finding, finding } from './finding.js'

/** Looks at the two roles. */
export async function inspectRoles(examination: Examination): Promise<Finding[]> {
  const { connection, tenantRole, allTenantsRole } = examination
  const findings: Finding[] = []
  for (const name of [tenantRole, allTenantsRole]) {
    const role = await findRole(connection, name)
    if (role === undefined) findings.push(missing(name))
    else findings.push(...checkAttributes(role))
  }
  if (findings.length > 0) return findings
  return [...(await checkReach(examination)), ...(await checkCreation(examination))]
}

/** Looks at who has logged in: it may become both roles, and is nothing by itself. */
export async function inspectLogin(examination: Examination): Promise<Finding[]> {
  const role = await findRole(examination.connection, examination.login)
  if (role !== undefined && (role.isSuper || role.bypassesPolicies)) return [omnipotent(role)]
  return [
    ...(await checkOwnership(examination)),
    ...(await checkBecoming(examination)),
    ...(await checkPowers(examination)),
    ...(role?.canCreateRoles === true ? [creator(role)] : []),
  ]
}

function missing(name: string): Finding {
  const remedy = 'Run: npx blazon db migrate, which makes it.'
  const facts = { subject: `role ${name}`, cause: 'It does not exist.', remedy }
  return finding('E_DATABASE_ROLE', facts)
}

function checkAttributes({ name, isSuper, bypassesPolicies, canLogin }: Role): Finding[] {
  const faults: [isFault: boolean, cause: string, attribute: string][] = [
    [isSuper, 'It is a superuser: no policy holds for it.', 'nosuperuser'],
    [bypassesPolicies, 'It has BYPASSRLS: no policy holds for it.', 'nobypassrls'],
    [canLogin, 'It can log in, and is meant to be a role of those who do.', 'nologin'],
  ]
  return faults
    .filter(([isFault]) => isFault)
    .map(([, cause, attribute]) => {
      const remedy = `alter role ${identifier(name)} ${attribute};`
      return finding('E_DATABASE_ROLE', { subject: `role ${name}`, cause, remedy })
    })
}

const POWERFUL = `
select r.rolname as name from pg_catalog.pg_roles r
where (r.rolname = any($2) or r.rolsuper or r.rolbypassrls) and pg_has_role($1::name, r.oid, 'member')
order by r.rolname`

/** The role of tenants must not be, nor lead to, anybody who could see more. */
async function checkReach(examination: Examination): Promise<Finding[]> {
  const { tables, tenantRole, allTenantsRole } = examination
  const others = [allTenantsRole, ...tables.map(({ owner }) => owner)]
  const names = await powersOf(examination, tenantRole, others)
  return names.map((name) =>
    name === tenantRole ? owning(examination) : leading(`role ${tenantRole}`, tenantRole, name),
  )
}

/** Neither must the login lead to who is above all policies; of owners it is told elsewhere. */
async function checkPowers(examination: Examination): Promise<Finding[]> {
  const { login } = examination
  const names = await powersOf(examination, login, [])
  return names.map((name) => leading(`login ${login}`, login, name))
}

async function powersOf(
  { connection }: Examination,
  role: string,
  others: readonly string[],
): Promise<string[]> {
  const { rows } = await connection.query({ text: POWERFUL, values: [role, others] })
  return rows.map(({ name }) => String(name))
}

function owning({ tables, tenantRole }: Examination): Finding {
  const owned = tables.filter(({ owner }) => owner === tenantRole).map(({ fullName }) => fullName)
  const cause = `It owns ${owned.join(', ')}, so it may take the policies away.`
  const remedy = 'Let the login that migrates own them: alter table … owner to …;'
  return finding('E_DATABASE_ROLE', { subject: `role ${tenantRole}`, cause, remedy })
}

function leading(subject: string, member: string, name: string): Finding {
  const cause = `It is a member of ${name}, which sees the rows of every tenant, or may.`
  const remedy = `revoke ${identifier(name)} from ${identifier(member)};`
  const code = subject.startsWith('login') ? 'E_DATABASE_LOGIN' : 'E_DATABASE_ROLE'
  return finding(code, { subject, cause, remedy })
}

const CREATABLE = `
select n.nspname as name from pg_catalog.pg_namespace n
where n.nspname !~ '^pg_' and has_schema_privilege($1::name, n.oid, 'create')
order by n.nspname`

/** Before PostgreSQL 15 everybody may, in the schema public. */
async function checkCreation({ connection, tenantRole }: Examination): Promise<Finding[]> {
  const { rows } = await connection.query({ text: CREATABLE, values: [tenantRole] })
  return rows.map(({ name }) => {
    const schema = identifier(String(name))
    const cause = `The role ${tenantRole} may make tables and functions in it, which others may then take for yours.`
    const remedy = `revoke create on schema ${schema} from public, ${identifier(tenantRole)};`
    return finding('W_DATABASE_SCHEMA', { subject: `schema ${schema}`, cause, remedy })
  })
}

function omnipotent({ name, isSuper }: Role): Finding {
  const kind = isSuper ? 'is a superuser' : 'has BYPASSRLS'
  const cause = `It ${kind}: a statement that gets out of its role, as injected SQL does with RESET ROLE, sees the rows of every tenant.`
  const remedy = `Log in as another role: create role … login noinherit password '…'; then npx blazon db migrate --login …`
  return finding('E_DATABASE_LOGIN', { subject: `login ${name}`, cause, remedy })
}

function creator({ name }: Role): Finding {
  const cause =
    'It has CREATEROLE: before PostgreSQL 16 it may make itself a member of any role, of the owner of tables, too.'
  const remedy = `alter role ${identifier(name)} nocreaterole;`
  return finding('W_DATABASE_LOGIN', { subject: `login ${name}`, cause, remedy })
}

/** An owner may take the policies away. */
async function checkOwnership({ connection, tables, login }: Examination): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const owner of new Set(tables.map((table) => table.owner))) {
    const owned = tables.filter((table) => table.owner === owner).map(({ fullName }) => fullName)
    const subject = `login ${login}`
    if (await isRelated(connection, [login, owner], 'INHERITS')) {
      const cause = `It owns ${owned.join(', ')}${login === owner ? '' : ` as a member of ${owner}`}, so it may take the policies away.`
      const remedy = 'Let the application log in as another role than the one that migrates.'
      findings.push(finding('E_DATABASE_LOGIN', { subject, cause, remedy }))
    } else if (await isRelated(connection, [login, owner], 'MAY_BECOME')) {
      const cause = `It may become ${owner}, which owns ${owned.join(', ')}.`
      const remedy = `revoke ${identifier(owner)} from ${identifier(login)};`
      findings.push(finding('W_DATABASE_LOGIN', { subject, cause, remedy }))
    }
  }
  return findings
}

async function checkBecoming(examination: Examination): Promise<Finding[]> {
  const { connection, tenantRole, allTenantsRole, login } = examination
  const findings: Finding[] = []
  const report = (cause: string, remedy: string) =>
    findings.push(finding('E_DATABASE_LOGIN', { subject: `login ${login}`, cause, remedy }))
  for (const role of [tenantRole, allTenantsRole]) {
    // One that is missing has been told of.
    if ((await findRole(connection, role)) === undefined) continue
    if (await isRelated(connection, [login, role], 'MAY_BECOME')) continue
    report(`It may not become ${role}.`, `Run: npx blazon db migrate --login ${login}`)
  }
  if (await isRelated(connection, [login, allTenantsRole], 'INHERITS')) {
    const cause = `It inherits from ${allTenantsRole}: it sees the rows of every tenant without becoming that role.`
    report(
      cause,
      `alter role ${identifier(login)} noinherit; from PostgreSQL 16 on, grant ${identifier(allTenantsRole)} to ${identifier(login)} with inherit false;`,
    )
  }
  return findings
}
