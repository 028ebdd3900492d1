import { findRole, type Role } from '../roles.js'
import { identifier } from '../schema/identifier.js'
import type { Examination } from './examination.js'
import { type Finding, finding } from './finding.js'
import { leading, powersOf } from './powers.js'

/** Checks the role of tenants and the role of all tenants. */
export async function inspectRoles(examination: Examination): Promise<Finding[]> {
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
  const remedy = 'Run: npx blazon db migrate, which makes it.'
  const facts = { subject: `role ${name}`, cause: 'It does not exist.', remedy }
  return finding('E_DATABASE_ROLE', facts)
}

function checkAttributes(role: Role): Finding[] {
  const { name, isSuper, bypassesPolicies, canLogin, canCreateRoles } = role
  const faults: [isFault: boolean, cause: string, attribute: string][] = [
    [isSuper, 'It is a superuser: no policy applies to it.', 'nosuperuser'],
    [bypassesPolicies, 'It has BYPASSRLS: no policy applies to it.', 'nobypassrls'],
    [canLogin, 'It can log in. It should be a role that logins become.', 'nologin'],
    [
      canCreateRoles,
      'It has CREATEROLE: it may make itself a member of other roles.',
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

/**
 * Checks that the role of tenants neither is, nor may become, a role that could see more than one
 * tenant.
 */
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
  const remedy = 'Let the login that migrates own them: alter table … owner to …;'
  return finding('E_DATABASE_ROLE', { subject: `role ${tenantRole}`, cause, remedy })
}
