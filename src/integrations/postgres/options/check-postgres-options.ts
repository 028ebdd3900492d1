import { ConfigError, type Duration } from '../../../index.js'
import { type OptionNames, type Problem, toSeconds, unknownOptions } from '../../../plugin/index.js'
import { SESSION_ATTRS, serverUrls, sessionAttrsOf } from '../drivers/servers.js'
import { ALL_TENANTS_ROLE, TENANT_ROLE } from '../schema/names.js'
import { invalid, type PostgresOptions, type PostgresTimeouts } from './postgres-options.js'

const TIMEOUTS: OptionNames<PostgresTimeouts> = {
  acquire: true,
  statement: true,
  idleInTransaction: true,
}
const NAMES: OptionNames<PostgresOptions> = {
  url: true,
  embedded: true,
  poolOptions: true,
  connections: true,
  migrations: true,
  requireMigrations: true,
  doctor: true,
  tenantRole: true,
  allTenantsRole: true,
  timeouts: TIMEOUTS,
}

/** Options of `pg` that another option or the URL already sets, and the name of that option. */
const SAID_ELSEWHERE: Readonly<Record<string, string>> = {
  connectionString: 'url',
  host: 'url',
  port: 'url',
  user: 'url',
  database: 'url',
  max: 'connections',
  poolSize: 'connections',
  connectionTimeoutMillis: 'timeouts.acquire',
  query_timeout: 'timeouts.statement',
  statement_timeout: 'timeouts.statement',
  idle_in_transaction_session_timeout: 'timeouts.idleInTransaction',
}

const MOST_CONNECTIONS = 1000
/** The maximum timeout, in seconds: one day. Node's timers end at about 24 days. */
const LONGEST_S = 86_400
/** The maximum length of a name, in bytes. PostgreSQL truncates longer names. */
const LONGEST_NAME = 63

/**
 * Checks the options for `subject`.
 *
 * @throws ConfigError with all problems.
 */
export function checkPostgresOptions(subject: string, options: PostgresOptions): void {
  if (!isObject(options)) {
    const remedy = "Pass { url: 'postgres://host/database' } or { embedded: 'memory' }."
    throw new ConfigError([invalid(subject, 'Its options must be an object.', remedy)])
  }
  const problems = [
    ...unknownOptions('', options, NAMES),
    ...checkPlace(options),
    ...checkUrl(options.url),
    ...checkEmbedded(options.embedded),
    ...checkPool(options),
    ...checkConnections(options),
    ...checkFolder('migrations', options.migrations),
    ...checkFolder('requireMigrations', options.requireMigrations),
    ...checkDoctor(options.doctor),
    ...checkRoles(options),
    ...checkTimeouts(options.timeouts),
  ]
  if (problems.length === 0) return
  throw new ConfigError(
    problems.map((problem) => ({ ...problem, subject: `${subject}: ${problem.subject}` })),
  )
}

function checkDoctor(doctor: unknown): Problem[] {
  if (doctor === undefined || typeof doctor === 'boolean') return []
  return [invalid('doctor', 'It is not a boolean.', 'Omit it, or pass true or false.')]
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function checkPlace({ url, embedded }: PostgresOptions): Problem[] {
  const given = [url, embedded].filter((place) => place !== undefined).length
  if (given === 1) return []
  const cause = given === 0 ? 'Neither url nor embedded is set.' : 'Both are set.'
  const remedy = 'Pass url for a server, or embedded for a database in this process.'
  return [invalid('url and embedded', cause, remedy)]
}

function checkEmbedded(embedded: unknown): Problem[] {
  if (embedded === undefined) return []
  if (typeof embedded === 'string' && /^(?!.*:\/\/)[^\0]+$/s.test(embedded)) return []
  return [
    invalid(
      'embedded',
      'It is not the path of a folder.',
      "Pass 'memory', or the path of a folder.",
    ),
  ]
}

function checkPool({ poolOptions, embedded }: PostgresOptions): Problem[] {
  if (poolOptions === undefined) return []
  if (embedded !== undefined) return [notEmbedded('poolOptions')]
  if (!isObject(poolOptions)) {
    return [
      invalid('poolOptions', 'It is not an object.', "Pass options of pg's Pool: { ssl: true }."),
    ]
  }
  return [
    ...checkPassword(poolOptions),
    ...checkLifetime(poolOptions),
    ...checkSaidElsewhere(poolOptions),
  ]
}

// Refuses a password that is not a function, because `pg` would silently use the password in the URL instead.
function checkPassword({ password }: Readonly<Record<string, unknown>>): Problem[] {
  if (password === undefined || typeof password === 'function') return []
  const remedy = 'Put the password into url, percent-encoded, or pass a function that returns it.'
  return [invalid('poolOptions.password', 'It would have no effect.', remedy)]
}

function checkLifetime({ maxLifetimeSeconds: seconds = 0 }: Readonly<Record<string, unknown>>) {
  if (typeof seconds === 'number' && seconds >= 0) return []
  const remedy = 'Pass a number of seconds, or 0 for no limit.'
  return [invalid('poolOptions.maxLifetimeSeconds', 'It is not a number of seconds.', remedy)]
}

function checkSaidElsewhere(poolOptions: object): Problem[] {
  return Object.entries(SAID_ELSEWHERE)
    .filter(([name]) => Object.hasOwn(poolOptions, name))
    .map(([name, option]) =>
      invalid(`poolOptions.${name}`, 'Another option sets it.', `Use ${option} instead.`),
    )
}

function checkConnections({ connections, embedded }: PostgresOptions): Problem[] {
  if (connections === undefined) return []
  if (embedded !== undefined) return [notEmbedded('connections')]
  const isCount = Number.isInteger(connections) && connections >= 1
  if (isCount && connections <= MOST_CONNECTIONS) return []
  const cause = 'It is not a number of connections.'
  return [invalid('connections', cause, `Pass a whole number from 1 to ${MOST_CONNECTIONS}.`)]
}

function notEmbedded(name: string): Problem {
  return invalid(name, 'An embedded database has one connection.', `Omit ${name}.`)
}

function checkFolder(name: string, folder: unknown): Problem[] {
  if (folder === undefined || (typeof folder === 'string' && folder !== '')) return []
  return [invalid(name, 'It is not a folder.', "Pass the path of a folder: 'migrations'.")]
}

function checkRoles(options: PostgresOptions): Problem[] {
  const { tenantRole = TENANT_ROLE, allTenantsRole = ALL_TENANTS_ROLE } = options
  const problems = [
    ...checkRole('tenantRole', tenantRole),
    ...checkRole('allTenantsRole', allTenantsRole),
  ]
  if (problems.length > 0 || tenantRole !== allTenantsRole) return problems
  const cause = 'They are the same role, so every tenant could read the rows of all tenants.'
  return [invalid('tenantRole and allTenantsRole', cause, 'Use two different roles.')]
}

// In SQL, the role `none` stands for the login role. PostgreSQL reserves names that begin with `pg_`.
function checkRole(name: string, role: unknown): Problem[] {
  const isName = typeof role === 'string' && /^(?!none$|pg_)[^\0]+$/i.test(role)
  if (isName && Buffer.byteLength(role) <= LONGEST_NAME) return []
  const remedy = `Use a name of at most ${LONGEST_NAME} bytes, such as '${TENANT_ROLE}', but not 'none' or a name that begins with 'pg_'.`
  return [invalid(name, 'It is not the name of a role that can be used here.', remedy)]
}

function checkTimeouts(timeouts: PostgresTimeouts | undefined): Problem[] {
  if (timeouts === undefined) return []
  if (!isObject(timeouts)) {
    return [
      invalid('timeouts', 'It is not an object.', "Pass { acquire: '2s', statement: '10s' }."),
    ]
  }
  const durations = Object.keys(TIMEOUTS) as (keyof PostgresTimeouts)[]
  return [...durations.flatMap((name) => checkDuration(`timeouts.${name}`, timeouts[name]))]
}

function checkDuration(name: string, duration: Duration | undefined): Problem[] {
  if (duration === undefined) return []
  const isDuration = typeof duration === 'number' || typeof duration === 'string'
  const seconds = isDuration ? toSeconds(duration) : undefined
  if (seconds !== undefined && seconds > 0 && seconds <= LONGEST_S) return []
  return [
    invalid(
      name,
      'It is not a duration of more than 0 seconds and at most one day.',
      "Pass seconds, or a string such as '250ms'.",
    ),
  ]
}

const REMEDY = "Pass 'postgres://user:password@host:5432/database'."
const ENCODE = `${REMEDY} A password with special characters must be percent-encoded.`

/** Returns the problems with a database URL. No message contains the URL, because it may contain a password. */
function checkUrl(url: unknown): Problem[] {
  if (url === undefined) return []
  if (typeof url !== 'string' || !/^postgres(?:ql)?:\/\//i.test(url)) {
    return [invalid('url', 'Its scheme is not postgres:// or postgresql://.', REMEDY)]
  }
  if (!serverUrls(url).every(isReadable)) return [invalid('url', 'It is not a URL.', ENCODE)]
  return isOneOf(SESSION_ATTRS, sessionAttrsOf(url)) ? [] : [WRONG_ATTRS]
}

const WRONG_ATTRS = invalid(
  'url',
  'Its target_session_attrs has a value that this version does not support.',
  `Pass one of ${SESSION_ATTRS.join(', ')}.`,
)

function isOneOf(values: readonly string[], value: string): boolean {
  return values.includes(value)
}

function isReadable(url: string): boolean {
  // A URL without a host can specify a socket: postgres://user@/database?host=/run/postgresql
  const named = url.replace('@/', '@localhost/')
  if (/[\s\0]/.test(url) || !URL.canParse(named)) return false
  const { username, password, host, pathname, search, hash } = new URL(named)
  return canDecode(username, password, host, pathname) && !looksCut(pathname + search + hash)
}

// Whether the parts can be decoded. `pg` decodes them only when it connects, which is too late for a clear error.
function canDecode(...parts: string[]): boolean {
  try {
    parts.forEach(decodeURIComponent)
    return true
  } catch {
    return false
  }
}

// An unencoded slash, question mark or hash in the password ends the host part too early. The `@` then comes after the
// host part.
function looksCut(rest: string): boolean {
  return /[@#]/.test(rest)
}
