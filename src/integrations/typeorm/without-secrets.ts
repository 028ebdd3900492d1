import { isSecretName } from '../../plugin/index.js'

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
