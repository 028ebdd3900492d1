import { createRequire } from 'node:module'
import { join } from 'node:path'
import { findOldPeer, type OldPeer, type Peer } from '../../errors/peer-floor.js'
import { ABSENT_MARK, LOSS_MARK, MADE_MARK } from '../dialect/conversion.js'

/** The JSON Schema of a type that JSON cannot represent directly. */
type Form = Readonly<Record<string, string>>

/** The schema of a date, which `JSON.stringify` converts to a string in this format. */
export const DATE: Form = { type: 'string', format: 'date-time', [MADE_MARK]: 'Date' }

/** The schema of a bigint, as a string of its digits, because JSON has no bigint. */
export const DIGITS: Form = { type: 'string', pattern: '^-?\\d+$', [MADE_MARK]: 'bigint' }

/** The loss for a bigint in a response. */
export const BIGINT =
  'JSON.stringify refuses a bigint: the document describes a string of digits, so the application must convert the bigint to this string.'

/** Returns the loss for an expression whose flags cannot be expressed. */
export function flagsLost(expression: RegExp): string {
  return `The flags of ${String(expression)} cannot be expressed: the pattern is not in the document.`
}

/** The schema of a file in a form. */
export const BINARY: Form = { type: 'string', format: 'binary', [MADE_MARK]: 'File' }

/** Returns a schema that accepts any value, with the reason as a loss. */
export function unknown(cause: string): Record<string, unknown> {
  return { [LOSS_MARK]: cause }
}

/** Returns the JSON Schema for instances of a class; `undefined` for an unknown class. */
export function ofClass(value: unknown): Record<string, unknown> | undefined {
  const name = typeof value === 'function' ? value.name : ''
  if (name === 'Date') return { ...DATE }
  if (name === 'File' || name === 'Blob') return { ...BINARY }
  if (name === 'Map' || name === 'Set') {
    return {
      type: 'object',
      [MADE_MARK]: name,
      ...unknown(`A ${name} is {} in JSON: return a list or an object.`),
    }
  }
  return undefined
}

/** The schemas of types for which libraries produce no JSON Schema, by the type name that several libraries use. */
export const COMMON_FORMS: Readonly<Record<string, Record<string, unknown>>> = {
  date: DATE,
  bigint: DIGITS,
  map: ofClass(Map) ?? {},
  set: ofClass(Set) ?? {},
  undefined: { [ABSENT_MARK]: true },
  void: { [ABSENT_MARK]: true },
  symbol: { [ABSENT_MARK]: true },
  function: { [ABSENT_MARK]: true },
  nan: unknown('JSON.stringify writes NaN as null, and JSON cannot contain NaN.'),
}

/**
 * Loads a package that the application installs. Returns `undefined` if the package is not installed. The package is
 * resolved first from the working directory, because the folder of a linked Blazon is not inside the application, and
 * then from Blazon's folder.
 */
export function installed(name: string): Readonly<Record<string, unknown>> | undefined {
  for (const origin of [join(process.cwd(), 'package.json'), import.meta.url]) {
    try {
      return createRequire(origin)(name) as Readonly<Record<string, unknown>>
    } catch {
      // The package is not installed for this origin.
    }
  }
  return undefined
}

/** The results are cached, because an application can have thousands of schemas. */
const old = new Map<Peer, OldPeer | null>()

/**
 * Returns the version problem of the package that {@link installed} finds; `null` if the package is recent enough or
 * not installed.
 */
export function findOldInstalled(name: Peer): OldPeer | null {
  const known = old.get(name)
  if (known !== undefined) return known
  const found = lookForOld(name)
  old.set(name, found)
  return found
}

function lookForOld(name: Peer): OldPeer | null {
  for (const origin of [join(process.cwd(), 'package.json'), import.meta.url]) {
    try {
      createRequire(origin).resolve(name)
      return findOldPeer(name, origin)
    } catch {
      // The package is not installed for this origin.
    }
  }
  return null
}
