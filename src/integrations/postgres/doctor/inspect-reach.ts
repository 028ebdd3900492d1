import { identifier } from '../schema/names.js'
import { type Examination, type Finding, finding, type Relation } from './examination.js'

/** The nouns for the kinds of relations, for messages. */
const NOUNS: Readonly<Record<string, string>> = {
  r: 'table',
  p: 'table',
  f: 'foreign table',
  v: 'view',
  m: 'materialized view',
  S: 'sequence',
}

/**
 * Checks all objects that the tenant role can reach and that are not tenant tables. An object that all tenants share
 * must be marked in its comment. The role must not be able to reach any other object.
 */
export function inspectReach(examination: Examination): Finding[] {
  const reached = examination.relations.filter(
    ({ isReachable, column }) => isReachable && column === null,
  )
  const isOpen = ({ sharing, isEnabled, kind }: Relation) =>
    sharing === 'none' && !isEnabled && (kind === 'r' || kind === 'p')
  return [
    ...groupsOf(reached.filter(isOpen)).map((group) => unbound(group, examination)),
    ...reached.flatMap((relation) => checkAlone(relation, examination)),
    ...checkSequences(reached, examination),
  ]
}

/** Groups tables that the same roles can access, because the remedy is the same. */
function groupsOf(relations: readonly Relation[]): Relation[][] {
  const groups = new Map<string, Relation[]>()
  for (const relation of relations) {
    const key = relation.grantees.join()
    groups.set(key, [...(groups.get(key) ?? []), relation])
  }
  return [...groups.values()]
}

function unbound(group: readonly Relation[], { tenantRole }: Examination): Finding {
  const names = group.map(({ fullName }) => fullName)
  const subject = `${names.length === 1 ? 'table' : 'tables'} ${names.join(', ')}`
  const cause = `The role ${tenantRole} can access these rows, and no policy limits them to one tenant by a comparison that is known to isolate tenants.`
  const remedy = `Add a column tenant_id, and run the SQL that npx blazon db table … --existing prints; or: ${revoking(group, tenantRole)} ${orShared(group[0] as Relation)}`
  return finding('E_DATABASE_REACH', { subject, cause, remedy })
}

function checkAlone(relation: Relation, examination: Examination): Finding[] {
  const { kind, sharing, isInvoker } = relation
  if (kind === 'S') return []
  if (sharing === 'reading') return checkWriting(relation, examination)
  if (sharing === 'writing' || isInvoker) return []
  if (kind === 'v') return [ownersView(relation, examination)]
  const revoke = `${revoking([relation], examination.tenantRole)} ${orShared(relation)}`
  if (kind === 'm') {
    const cause =
      'It contains the rows that its owner has read, which can belong to any tenant, and no policy protects it.'
    return [finding('E_DATABASE_VIEW', { subject: subjectOf(relation), cause, remedy: revoke })]
  }
  if (kind !== 'f') return []
  const cause = `The role ${examination.tenantRole} can access it, and row-level security cannot protect a foreign table.`
  return [finding('E_DATABASE_REACH', { subject: subjectOf(relation), cause, remedy: revoke })]
}

function ownersView(relation: Relation, { version, tenantRole }: Examination): Finding {
  const cause =
    'It reads tables as its owner, and not as the role that queries it: the policies for the querying role do not apply.'
  const remedy =
    version >= 150_000
      ? `alter view ${relation.fullName} set (security_invoker = true);`
      : `${revoking([relation], tenantRole)} ${orShared(relation)}`
  return finding('E_DATABASE_VIEW', { subject: subjectOf(relation), cause, remedy })
}

function checkWriting(relation: Relation, { tenantRole }: Examination): Finding[] {
  // A view that reads with the privileges of the querying role grants no additional access.
  const more = relation.privileges.filter((privilege) => privilege !== 'select')
  if (more.length === 0 || relation.isInvoker) return []
  const list = more.join(', ')
  const cause = `Its comment allows all tenants to read it, but the role ${tenantRole} can also ${list.toUpperCase()}: all tenants see the changes of one tenant.`
  const remedy = `revoke ${list} on ${relation.fullName} from ${granteesOf([relation], tenantRole)}; or change the comment to: blazon: shared, writable`
  return [finding('E_DATABASE_REACH', { subject: subjectOf(relation), cause, remedy })]
}

/**
 * Checks sequences. A default that uses a sequence needs only `USAGE`, which reveals only the value itself. Ownership
 * is reported elsewhere.
 */
function checkSequences(reached: readonly Relation[], { tenantRole }: Examination): Finding[] {
  const open = reached.filter(
    ({ kind, sharing, grantees }) => kind === 'S' && sharing === 'none' && grantees.length > 0,
  )
  if (open.length === 0) return []
  const names = open.map(({ fullName }) => fullName).join(', ')
  const subject = `${open.length === 1 ? 'sequence' : 'sequences'} ${names}`
  const cause = `The role ${tenantRole} can read or set a counter that all tenants share.`
  const remedy = `revoke select, update on sequence ${names} from ${granteesOf(open, tenantRole)}; a column default needs only USAGE.`
  return [finding('W_DATABASE_GRANT', { subject, cause, remedy })]
}

function revoking(relations: readonly Relation[], tenantRole: string): string {
  const names = relations.map(({ fullName }) => fullName).join(', ')
  return `revoke all on ${names} from ${granteesOf(relations, tenantRole)};`
}

/**
 * Returns the roles for `REVOKE`. If the access comes from ownership or from a predefined role, no role has a grant,
 * and the result is `public` and the tenant role.
 */
function granteesOf(relations: readonly Relation[], tenantRole: string): string {
  const names = new Set(relations.flatMap(({ grantees }) => grantees))
  if (names.size === 0) return `public, ${identifier(tenantRole)}`
  return [...names].map((name) => (name === 'public' ? name : identifier(name))).join(', ')
}

function orShared(relation: Relation): string {
  return `If all tenants are allowed to see the same rows: comment on ${subjectOf(relation)} is 'blazon: shared';`
}

function subjectOf({ kind, fullName }: Relation): string {
  return `${NOUNS[kind]} ${fullName}`
}
