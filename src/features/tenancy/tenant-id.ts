/** The default of `tenant.pattern`. */
export const DEFAULT_PATTERN: RegExp = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/

/** Longer ids are refused by every pattern, because ids are part of keys of caches, of limits and of logs. */
const MAX_LENGTH = 256

/** Names that every object has, and the texts of missing values: `` `${undefined}` `` is a common mistake. */
const RESERVED: ReadonlySet<string> = new Set([
  '__proto__',
  'constructor',
  'prototype',
  'undefined',
  'null',
])

/** Whether a value is the id of a tenant. */
export type IsTenantId = (value: unknown) => value is string

/** Creates the test for ids. The pattern must match the whole text, even if it has no anchors. */
export function compileIdTest(pattern: RegExp): IsTenantId {
  // With `g` or `y`, a regular expression continues where the last match ended; with `m`, `$` matches at the
  // end of a line.
  const whole = new RegExp(`^(?:${pattern.source})$`, pattern.flags.replace(/[gmy]/g, ''))
  return (value): value is string => isUsable(value) && whole.test(value)
}

/** Whether trusted code may use a value as an id. */
function isUsable(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length > 0 &&
    value.length <= MAX_LENGTH &&
    !RESERVED.has(value) &&
    // Every lone surrogate becomes U+FFFD in UTF-8: two different ids would be the same in a database.
    !/\p{Cs}/u.test(value)
  )
}

/**
 * Throws when a value is not an id. The message names the calling function, but does not contain the value.
 *
 * @throws TypeError
 */
export function assertTenantId(value: unknown, caller: string): asserts value is string {
  if (isUsable(value) && !/\p{Cc}/u.test(value)) return
  const kind = typeof value === 'string' ? 'this text is not an id' : `this is ${typeName(value)}`
  throw new TypeError(
    `${caller} needs the id of a tenant, text of 1 to ${MAX_LENGTH} characters: ${kind}.`,
  )
}

function typeName(value: unknown): string {
  return value === null ? 'null' : typeof value
}
