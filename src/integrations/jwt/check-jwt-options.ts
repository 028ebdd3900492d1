import { ConfigError, type Duration } from '../../index.js'
import { type OptionNames, type Problem, toSeconds, unknownOptions } from '../../plugin/index.js'
import { isScope } from './challenge.js'
import { type GivenKeys, NO_KEYS, readGivenKeys } from './given-keys.js'
import { type AnyJwtOptions, invalid } from './jwt-options.js'
import { isSafeUrl } from './read-jwks.js'

/** Unknown names cause an error: with a misspelt `audience`, the guard would accept tokens for other services. */
const NAMES: OptionNames<AnyJwtOptions> = {
  issuer: true,
  audience: true,
  jwks: true,
  keys: true,
  algorithms: true,
  claims: true,
  user: true,
  roles: 'sync',
  permissions: 'sync',
  scope: 'sync',
  requiredScopes: true,
  tenant: 'sync',
  scheme: true,
  type: true,
  expires: true,
  maxAge: true,
  clockTolerance: true,
  cacheSize: true,
  resource: true,
  security: true,
  fetch: true,
}

const ALGORITHMS = [
  ...['HS256', 'HS384', 'HS512', 'RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
]

/** The maximum clock tolerance, in seconds. */
const MOST_TOLERANCE = 600

/**
 * Checks the options for `jwt` and returns the keys in the option `keys`: an empty list if the option is omitted or is
 * a function.
 *
 * @throws ConfigError with all problems.
 */
export function checkJwtOptions(options: AnyJwtOptions): GivenKeys['keys'] {
  if (typeof options !== 'object' || options === null) {
    const remedy = "Pass { issuer: 'https://…', audience: '…' }."
    throw new ConfigError([invalid('options', 'Its options must be an object.', remedy)])
  }
  const { keys } = options
  const given =
    keys === undefined || typeof keys === 'function' ? NO_KEYS : readGivenKeys(keys, options)
  const problems = [
    ...unknownOptions('jwt: ', options, NAMES),
    ...checkSource(options),
    ...checkAudience(options),
    ...checkAlgorithms(options.algorithms),
    ...checkReaders(options),
    ...checkWords(options),
    ...checkTimes(options),
    ...given.problems,
  ]
  if (problems.length > 0) throw new ConfigError(problems)
  return given.keys
}

function checkSource({ issuer, jwks, keys, resource }: AnyJwtOptions): Problem[] {
  const problems: Problem[] = []
  const safe = 'Pass an https URL. On the same machine, http is allowed.'
  if (issuer !== undefined && !isText(issuer)) {
    problems.push(
      invalid('issuer', 'It is empty, or not a string.', 'Pass the iss claim of your tokens.'),
    )
  }
  if (keys !== undefined && jwks !== undefined) {
    const remedy = 'Pass either keys or jwks.'
    problems.push(
      invalid('keys and jwks', 'Both are set, but the keys must come from one source.', remedy),
    )
  }
  if (jwks !== undefined && !isSafeUrl(jwks)) {
    problems.push(
      invalid('jwks', 'It is not an https URL, or it contains a user name or a password.', safe),
    )
  }
  if (keys === undefined && jwks === undefined && !isIssuerUrl(issuer)) {
    const cause = 'The keys are loaded from the issuer, so this option must be its URL.'
    const remedy = `${safe} The URL must not have a query. Alternatively, pass keys or jwks.`
    problems.push(invalid('issuer', cause, remedy))
  }
  if (resource !== undefined && !isIssuerUrl(resource)) {
    problems.push(invalid('resource', 'It must be an https URL without a query.', safe))
  }
  return problems
}

function isIssuerUrl(value: unknown): boolean {
  return isText(value) && isSafeUrl(value) && !/[?#]/.test(value)
}

function checkAudience({ audience, keys }: AnyJwtOptions): Problem[] {
  const remedy =
    'Pass the value of the aud claim for this service, or false to accept tokens for all services.'
  if (audience === undefined) {
    if (keys !== undefined) return []
    const cause = 'Without it, tokens that were issued for other services would be accepted.'
    return [invalid('audience', cause, remedy)]
  }
  if (audience === false || isText(audience) || isTexts(audience)) return []
  return [invalid('audience', 'It is empty, or neither a string nor a list of strings.', remedy)]
}

function checkAlgorithms(algorithms: unknown): Problem[] {
  if (algorithms === undefined) return []
  const remedy = `Use one or more of ${ALGORITHMS.join(', ')}.`
  if (!isTexts(algorithms))
    return [invalid('algorithms', 'It is empty, or not a list of names.', remedy)]
  return algorithms
    .filter((name) => !ALGORITHMS.includes(name))
    .map((name) => invalid('algorithms', `${name} is not a signature algorithm.`, remedy))
}

function checkReaders(options: AnyJwtOptions): Problem[] {
  const { claims, user, fetch } = options
  const problems: Problem[] = []
  for (const name of ['roles', 'permissions', 'scope', 'tenant'] as const) {
    const reader: unknown = options[name]
    if (reader === undefined || isText(reader) || typeof reader === 'function') continue
    problems.push(
      invalid(name, 'It is neither the name of a claim nor a function.', 'Pass a claim name.'),
    )
  }
  if (claims !== undefined && typeof claims['~standard']?.validate !== 'function') {
    const remedy = 'Pass a Standard Schema, for example from zod, valibot or arktype.'
    problems.push(invalid('claims', 'It is not a Standard Schema.', remedy))
  }
  if (user !== undefined && typeof user !== 'function') {
    problems.push(invalid('user', 'It is not a function.', 'Pass (claims) => user.'))
  }
  if (fetch !== undefined && typeof fetch !== 'function') {
    problems.push(invalid('fetch', 'It is not a function.', 'Pass (url, init) => response.'))
  }
  return problems
}

function checkWords({
  scheme,
  type,
  expires,
  requiredScopes,
  cacheSize,
}: AnyJwtOptions): Problem[] {
  const problems: Problem[] = []
  // The name of a scheme is a `token` in the grammar of HTTP (RFC 9110, 5.6.2).
  if (scheme !== undefined && !(isText(scheme) && /^[\w!#$%&'*+.^`|~-]+$/.test(scheme))) {
    problems.push(
      invalid('scheme', 'It is not a valid scheme name.', "Pass one word, such as 'Token'."),
    )
  }
  if (type !== undefined && !isText(type)) {
    problems.push(
      invalid(
        'type',
        'It is empty, or not a string.',
        "Pass the value of the header typ: 'at+jwt'.",
      ),
    )
  }
  if (!['required', 'optional', undefined].includes(expires)) {
    problems.push(
      invalid(
        'expires',
        "It is neither 'required' nor 'optional'.",
        "Pass 'required' or 'optional'.",
      ),
    )
  }
  if (requiredScopes !== undefined && !(isTexts(requiredScopes) && requiredScopes.every(isScope))) {
    const remedy = "Pass scope names without spaces: ['orders']."
    problems.push(invalid('requiredScopes', 'It is not a list of scopes.', remedy))
  }
  if (cacheSize !== undefined && !(Number.isInteger(cacheSize) && cacheSize >= 0)) {
    problems.push(
      invalid(
        'cacheSize',
        'It is not a valid number of tokens.',
        'Pass 0 or a larger whole number.',
      ),
    )
  }
  return problems
}

function checkTimes({ clockTolerance, maxAge }: AnyJwtOptions): Problem[] {
  const problems: Problem[] = []
  if (clockTolerance !== undefined && !(secondsOf(clockTolerance) <= MOST_TOLERANCE)) {
    const remedy =
      "Pass seconds, or a string such as '30s', up to 10 minutes. If the clocks of the machines differ by more, correct the clocks."
    problems.push(invalid('clockTolerance', 'It is not a duration of at most 10 minutes.', remedy))
  }
  if (maxAge !== undefined && !(secondsOf(maxAge) > 0)) {
    problems.push(
      invalid(
        'maxAge',
        'It is not a duration greater than 0.',
        "Pass seconds, or a string such as '12h'.",
      ),
    )
  }
  return problems
}

function secondsOf(duration: Duration): number {
  return toSeconds(duration) ?? Number.NaN
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every(isText)
}
