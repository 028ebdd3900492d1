import { ABSENT_MARK, LOSS_MARK } from '../dialect/conversion.js'

/** How a date travels: `JSON.stringify` writes it so. */
export const DATE = { type: 'string', format: 'date-time' }

/** A bigint as digits: JSON has no other place for it. */
export const DIGITS = { type: 'string', pattern: '^-?\\d+$' }

/** What is to be known of bigints in answers. */
export const BIGINT =
  'JSON.stringify refuses a bigint: the document shows its digits, which the application has to write itself.'

/** Why an expression is not in the document. */
export function flagsLost(expression: RegExp): string {
  return `The flags of ${String(expression)} cannot be said: the pattern is not in the document.`
}

/** A file, as a part of a form. */
export const BINARY = { type: 'string', format: 'binary' }

/** Anything, and why. */
export function unknown(cause: string): Record<string, unknown> {
  return { [LOSS_MARK]: cause }
}

/** The place of a class in JSON; `undefined` where it has none that is known. */
export function ofClass(value: unknown): Record<string, unknown> | undefined {
  const name = typeof value === 'function' ? value.name : ''
  if (name === 'Date') return { ...DATE }
  if (name === 'File' || name === 'Blob') return { ...BINARY }
  if (name === 'Map' || name === 'Set') {
    return {
      type: 'object',
      ...unknown(`A ${name} is {} in JSON: return a list or an object.`),
    }
  }
  return undefined
}

/** What JSON looks like of types that several libraries have, under these names, and no JSON Schema for. */
export const COMMON_FORMS: Readonly<Record<string, Record<string, unknown>>> = {
  date: DATE,
  bigint: DIGITS,
  map: ofClass(Map) ?? {},
  set: ofClass(Set) ?? {},
  undefined: { [ABSENT_MARK]: true },
  void: { [ABSENT_MARK]: true },
  symbol: { [ABSENT_MARK]: true },
  function: { [ABSENT_MARK]: true },
  nan: unknown('NaN is null in JSON, and nothing in JSON is NaN.'),
}
