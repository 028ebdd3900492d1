import type { DataSource, DataSourceOptions, EntitySubscriberInterface, QueryRunner } from 'typeorm'
import { ConfigError, type HttpError, type Plugin, type Request } from '../../index.js'
import {
  blameRequest,
  isSecretName,
  orStandIn,
  type Problem,
  type RunningStatement,
  Statements,
} from '../../plugin/index.js'
import { dataSourceOf, loadTypeOrm } from './tokens.js'
import { checkTypeOrmOptions, type TypeOrmOptions } from './typeorm-options.js'

/**
 * Creates a plugin that opens a TypeORM data source. The data source is initialized before the providers that inject it
 * are created, and destroyed after the last response. Every application has its own data source, even if several
 * applications share one plugin object.
 *
 * The plugin provides TypeORM's class `DataSource` (or, with a `name`, {@link dataSourceOf}) and all repositories
 * ({@link repositoryOf}).
 *
 * @param options The options of TypeORM's `DataSource`, and `name`. The plugin needs the peer dependency `typeorm` and
 * the driver's package.
 * @throws ConfigError at boot if an option is invalid, `typeorm` is not installed, or the data source cannot be
 * initialized.
 * @example
 * const app = new App({
 *   controllers: [UsersController],
 *   plugins: [typeorm({ type: 'postgres', url: process.env.DATABASE_URL, entities: [User] })],
 * })
 */
export function typeorm(options: TypeOrmOptions): Plugin {
  return orStandIn(
    () => {
      checkTypeOrmOptions(options)
      return dataSourcePlugin(options)
    },
    () => dataSourcePlugin({ type: 'postgres' }),
  )
}

function dataSourcePlugin(options: TypeOrmOptions): Plugin {
  const token = dataSourceOf(options.name)
  const name = options.name === undefined ? 'typeorm' : `typeorm ${options.name}`
  return {
    name,
    providers: [{ token, useFactory: () => openDataSource(options) }],
    setup({ get, usesTenants, logger }) {
      observeStatements(get(token), get(Statements))
      if (usesTenants) logger.warn({ plugin: name }, NOT_BOUND)
    },
    explain: explainRefusal,
    health: (app) => queryHealth(app.get(token)),
  }
}

const NOT_BOUND =
  'This application has tenants, and the database does not limit the queries of TypeORM to one tenant. Filter every query by tenant, ' +
  'or use blazon/postgres. See "Tenants" in docs/typeorm.md.'

/** The health check queries of the databases that do not accept `select 1`. */
const HEALTH_QUERIES: Readonly<Record<string, string>> = {
  oracle: 'select 1 from dual',
  sap: 'select 1 from dummy',
}

async function queryHealth(dataSource: DataSource): Promise<void> {
  if (!dataSource.isInitialized) throw new Error('The data source is closed.')
  const { type } = dataSource.options
  // MongoDB has no SQL, and its driver checks the connection itself.
  if (type !== 'mongodb') await dataSource.query(HEALTH_QUERIES[type] ?? 'select 1')
}

/** The fields of a PostgreSQL error, as `pg` names them. Other databases use other codes, which are not recognized. */
interface Refusal {
  readonly code?: unknown
  readonly message?: unknown
  readonly detail?: unknown
  readonly where?: unknown
}

/** Returns the HTTP error for an uncaught database error that a request value caused; otherwise `undefined`. */
function explainRefusal(error: unknown, req: Request): HttpError | undefined {
  const { QueryFailedError } = loadTypeOrm()
  if (!(error instanceof QueryFailedError)) return undefined
  const { code, message, detail, where }: Refusal = error.driverError ?? {}
  const refused = {
    code: String(code),
    message: String(message),
    detail: String(detail ?? ''),
    where: String(where ?? ''),
    values: Object.values(error.parameters ?? []),
  }
  return blameRequest(refused, req, error)
}

/**
 * Creates and initializes a data source for one application. It is closed together with the application.
 *
 * @throws ConfigError if the data source cannot be created, or its database cannot be reached.
 */
async function openDataSource({ name, ...options }: TypeOrmOptions): Promise<DataSource> {
  let dataSource: DataSource | undefined
  try {
    dataSource = new (closingDataSource())(options)
    return await dataSource.initialize()
  } catch (error) {
    await disconnect(dataSource)
    throw startFailure(options, error)
  }
}

/** Returns TypeORM's class, extended with `onClose`, which the application calls after its last response. */
function closingDataSource(): new (options: DataSourceOptions) => DataSource {
  return class extends loadTypeOrm().DataSource {
    async onClose(): Promise<void> {
      if (this.isInitialized) await this.destroy()
    }
  }
}

/**
 * Closes the connection pool after a failed start. TypeORM does so only if the failure occurred after the connection
 * was established.
 */
async function disconnect(dataSource: DataSource | undefined): Promise<void> {
  try {
    await dataSource?.driver.disconnect()
  } catch {
    // No connection was open.
  }
}

interface Begun {
  readonly text: string
  readonly running: RunningStatement
}

/** OpenTelemetry's names for databases, where they differ from TypeORM's names. */
const SYSTEMS: Readonly<Record<string, string>> = {
  'aurora-mysql': 'mysql',
  'aurora-postgres': 'postgresql',
  'better-sqlite3': 'sqlite',
  mssql: 'microsoft.sql_server',
  oracle: 'oracle.db',
  postgres: 'postgresql',
  sap: 'sap.hana',
  spanner: 'gcp.spanner',
  sqljs: 'sqlite',
}

/** Reports a data source's statements. Has no effect if no observer needs statements. */
export function observeStatements(dataSource: DataSource, statements: Statements): void {
  // A test may have replaced the data source with its own object.
  if (!statements.areObserved || !Array.isArray(dataSource.subscribers)) return
  const { type } = dataSource.options
  dataSource.subscribers.push(subscriber(SYSTEMS[type] ?? type, statements))
}

/**
 * Creates a subscriber. TypeORM reports the start and the end of each statement, but not which start and end belong
 * together, so they are matched by the text of the statement.
 */
function subscriber(system: string, statements: Statements): EntitySubscriberInterface {
  const open = new WeakMap<QueryRunner, Begun[]>()
  return {
    beforeQuery({ query: text, parameters, queryRunner }) {
      const values = Array.isArray(parameters) ? parameters : Object.values(parameters ?? {})
      const running = isControl(text) ? null : statements.begin({ system, text, values })
      if (running === null) return
      const begun = open.get(queryRunner) ?? []
      open.set(queryRunner, begun)
      begun.push({ text, running })
    },
    afterQuery({ query, success, error, rawResults, queryRunner }) {
      const begun = open.get(queryRunner) ?? []
      const index = begun.findIndex(({ text }) => text === query)
      if (index === -1) return
      const [{ running } = { running: null }] = begun.splice(index, 1)
      if (success) running?.end(resultOf(rawResults))
      else running?.fail(error)
    },
  }
}

/** Whether a statement begins or ends a transaction or a savepoint. */
function isControl(text: string): boolean {
  return /^\s*(begin|start transaction|commit|rollback|savepoint|release)\b/i.test(text)
}

/**
 * Returns the result of a statement. Depending on the driver, `raw` is the rows, an object with rows, or an object with
 * the number of changed rows.
 */
function resultOf(raw: unknown) {
  const { rows = null, rowCount, affectedRows, changes } = (raw ?? {}) as Record<string, unknown>
  const list = [raw, rows].find((each): each is unknown[] => Array.isArray(each)) ?? null
  const count = [rowCount, affectedRows, changes].find((each) => typeof each === 'number')
  return { rows: list, rowCount: (count as number | undefined) ?? list?.length ?? null }
}

/** A problem without its subject, which is always the data source. */
type Finding = Omit<Problem, 'subject'>

/**
 * Returns the error for a data source that could not be initialized. Its `cause` is a copy of the original error
 * without passwords.
 */
function startFailure(options: DataSourceOptions, error: unknown): ConfigError {
  const copy = withoutSecrets(error, options)
  const subject = `typeorm({ type: '${options.type}' })`
  return new ConfigError([{ subject, ...describeFailure(error, copy) }], { cause: copy })
}

function describeFailure(error: unknown, copy: Error & { code?: unknown }): Finding {
  const { TypeORMError, QueryFailedError } = loadTypeOrm()
  const code = typeof copy.code === 'string' ? copy.code : copy.name
  if (error instanceof QueryFailedError) return ofStatement(code)
  if (error instanceof TypeORMError) return ofTypeOrm(copy)
  return code === 'ERR_INVALID_URL' ? ofUrl() : ofConnection(copy.message, code)
}

/**
 * Returns the finding for a database error. The database's message may contain row values, so it is only in the
 * `cause`.
 */
function ofStatement(code: string): Finding {
  const cause = `The database refused a statement during startup: ${code}.`
  return failed(
    cause,
    'See the `cause` of this error. With `migrationsRun` or `synchronize`, TypeORM runs statements during startup.',
  )
}

function ofTypeOrm({ name, message }: Error): Finding {
  const [command, driver] = /npm install ([\w@/.-]*\w)/.exec(message) ?? []
  if (name === 'DriverPackageNotInstalledError' && command !== undefined) {
    const cause = `TypeORM needs ${driver} for this kind of database, but cannot load it.`
    return { code: 'E_PEER_MISSING', cause, remedy: command }
  }
  return failed(
    `TypeORM reports: ${sentence(message)}`,
    'Correct the option or the entity that the message names.',
  )
}

function ofUrl(): Finding {
  const remedy = 'Percent-encode special characters: encodeURIComponent(password).'
  return failed('Its `url` is not a URL.', remedy)
}

function ofConnection(message: string, code: string): Finding {
  const reason = message === '' ? code : `${code}, ${message}`
  const remedy =
    'Check that the database is running, and that the host, the port, the user, the password and the database name are correct.'
  return failed(`The database cannot be used: ${sentence(reason)}`, remedy)
}

function failed(cause: string, remedy: string): Finding {
  return { code: 'E_PROVIDER_FAILED', cause, remedy }
}

function sentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`
}

const HIDDEN = '***'

/**
 * Returns a copy of an error with only its name, code, message and stack. In the copy, `***` replaces the secret values
 * from `options`.
 */
export function withoutSecrets(error: unknown, options: object): Error {
  if (!(error instanceof Error)) return new Error('The thrown value is not an error.')
  const secrets = [...secretsOf(options, '')].sort((a, b) => b.length - a.length)
  const hide = (text: string) =>
    secrets.reduce((hidden, secret) => hidden.replaceAll(secret, HIDDEN), text)
  const { code } = error as { code?: unknown }
  const copy = new Error(hide(error.message))
  const own = { name: error.name, stack: hide(error.stack ?? ''), code }
  for (const [name, value] of Object.entries(own)) {
    if (value !== undefined) Object.defineProperty(copy, name, { value, configurable: true })
  }
  return copy
}

/**
 * Lists the secret strings: values whose name indicates a secret, private keys, URLs that contain a password, and the
 * passwords in these URLs.
 */
function* secretsOf(value: unknown, name: string, depth = 0): Generator<string> {
  if (typeof value === 'string') {
    const isSecret = isSecretName(name) || value.includes('PRIVATE KEY-----')
    if (isSecret && value !== '') yield value
    yield* secretsOfUrl(value)
  } else if (isPlain(value) && depth < 5) {
    for (const [key, each] of Object.entries(value)) yield* secretsOf(each, key, depth + 1)
  }
}

function* secretsOfUrl(text: string): Generator<string> {
  const [, password] = /^[\w+.-]+:\/\/[^:@/]*:(.*)@/s.exec(text) ?? []
  if (password === undefined || password === '') return
  yield text
  yield password
  try {
    yield decodeURIComponent(password)
  } catch {
    // The password is not percent-encoded. Its raw form is already in the list.
  }
}

function isPlain(value: unknown): value is object {
  if (Array.isArray(value)) return true
  return typeof value === 'object' && Object.getPrototypeOf(value ?? 0) === Object.prototype
}
