import type { DataSourceOptions } from 'typeorm'
import { ConfigError } from '../../index.js'
import { isSecretName, type Problem } from '../../plugin/index.js'
import { loadTypeOrm } from './load-typeorm.js'

/** A problem without its subject, which is always the data source. */
type Finding = Omit<Problem, 'subject'>

/**
 * The error for a data source that did not start. Its `cause` is a copy of the original error without
 * passwords.
 */
export function startFailure(options: DataSourceOptions, error: unknown): ConfigError {
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

/** The database's message may contain values of rows, so it is only in the `cause`. */
function ofStatement(code: string): Finding {
  const cause = `The database refused a statement at the start: ${code}.`
  return failed(
    cause,
    'See the `cause` of this error, and the effects of `migrationsRun` and `synchronize`.',
  )
}

function ofTypeOrm({ name, message }: Error): Finding {
  const [command, driver] = /npm install ([\w@/.-]*\w)/.exec(message) ?? []
  if (name === 'DriverPackageNotInstalledError' && command !== undefined) {
    const cause = `TypeORM needs ${driver} for this kind of database, and cannot load it.`
    return { code: 'E_PEER_MISSING', cause, remedy: command }
  }
  return failed(
    `TypeORM reports: ${sentence(message)}`,
    'Correct the option or the entity that it names.',
  )
}

function ofUrl(): Finding {
  const remedy = 'Percent-encode special characters: encodeURIComponent(password).'
  return failed('Its `url` is not a URL.', remedy)
}

function ofConnection(message: string, code: string): Finding {
  const reason = message === '' ? code : `${code}, ${message}`
  const remedy = 'Does it run there? Are the user, the password and the name of the database right?'
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
 * A copy of an error with only its name, code, message and stack. Secret values of `options` in these texts
 * are replaced by `***`.
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

/** All strings under a secret name, all private keys, and all URLs that contain a password. */
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
    // The password is not percent-encoded. The raw form is already in the list.
  }
}

function isPlain(value: unknown): value is object {
  if (Array.isArray(value)) return true
  return typeof value === 'object' && Object.getPrototypeOf(value ?? 0) === Object.prototype
}
