/** Parts of names that always indicate a secret, even inside a longer word, as in `userpassword` or `sessionid`. */
const PARTS =
  /authori[sz]ation|authentication|cookie|credential|passw|passphrase|passcode|secret|session|signature|token|(?:access|api|encryption|master|private|session|shared|signing|ssh|subscription)[-_. ]*key|functions[-_]key|(?:backup|recovery|security|verification)[-_. ]*code|code[-_. ]*verifier/i
/** Words that indicate a secret only as whole words. For example, `author`, `spinner` and `compass` are not secrets. */
const WORDS =
  /(?:^|[^a-z])(?:auth|bearer|csrf|cvc2?|cvv2?|jwt|mfa|otp|pass|pin|pwd?|sig|totp|xsrf)s?(?![a-z])/i
const NEXT_WORD = /([a-z\d])(?=[A-Z])/g

/**
 * Whether a value with this name is a secret. The name can belong to a field, a column, a header, a cookie or a
 * variable. Log lines, records, capsules, the dashboard and curl commands all use this rule. The spellings `apiKey`,
 * `api_key`, `API-KEY` and `apikey` are equivalent. A string with many names, such as an SQL statement, is checked as a
 * whole.
 *
 * @returns `true` for `password`, `refreshToken`, `x-api-key`, `otp` and `DB_PASS`; `false` for `author`, `key` and
 * `idempotency-key`.
 * @example
 * const shown = Object.entries(facts).map(([name, value]) => [name, isSecretName(name) ? '[secret]' : value])
 */
export function isSecretName(name: string): boolean {
  return PARTS.test(name) || WORDS.test(name.replace(NEXT_WORD, '$1_'))
}

/**
 * Whether a query parameter is secret because it has a secret name or is the authorization `code` of a login (RFC 6749,
 * 4.1.2).
 */
export function isSecretParameter(name: string): boolean {
  return name.toLowerCase() === 'code' || isSecretName(name)
}

/**
 * Whether the value of a secret field can be shown, because it reveals at most whether a secret exists: `null`,
 * `undefined` or a boolean.
 */
export function isFlag(value: unknown): boolean {
  return value === null || value === undefined || typeof value === 'boolean'
}
