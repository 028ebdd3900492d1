/** What ids are made of where the application does not say. */
export const DEFAULT_PATTERN: RegExp = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/

/** Longer ones are refused whatever the pattern is: they are keys of caches, limits and logs. */
const MAX_LENGTH = 256

/** Names that objects have already, and what JavaScript writes for nothing: `` `tenant-${undefined}` `` is one step away. */
const RESERVED: ReadonlySet<string> = new Set([
  '__proto__',
  'constructor',
  'prototype',
  'undefined',
  'null',
])

/** Tells ids from what is none. */
export type IsTenantId = (value: unknown) => value is string

/** Makes the test for ids. The whole of the text must match, whether the pattern is anchored or not. */
export function compileIdTest(pattern: RegExp): IsTenantId {
  // A regular expression with `g` or `y` remembers where it was, and `m` would let `$` match in the middle.
  const whole = new RegExp(`^(?:${pattern.source})$`, pattern.flags.replace(/[gmy]/g, ''))
  return (value): value is string => isUsable(value) && whole.test(value)
}

/** Whether code that is believed may use a text as an id. */
function isUsable(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length > 0 &&
    value.length <= MAX_LENGTH &&
    !RESERVED.has(value) &&
    // Half of a character becomes U+FFFD in UTF-8, as every other half does: two ids would be one in a database.
    !/\p{Cs}/u.test(value)
  )
}

/** @throws TypeError that names the caller, and not the id. */
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
