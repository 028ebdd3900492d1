import { isUtf8 } from 'node:buffer'
import { refuse } from '../errors/refuse.js'
import { MAX_PARAMETERS } from './count-parameters.js'

/** As deep as the parser `extended` of Express reads. */
const MAX_BRACKETS = 5

/** The fields of a form, without a prototype. A field that was sent more than once is a list. */
export type FormFields = Record<string, string | string[]>

/**
 * Parses a form, `application/x-www-form-urlencoded` (URL Standard, section 5.1), from an untrusted client. Names with
 * brackets stay as they are. It refuses with 400:
 *
 * - text that is not UTF-8, before or after percent-decoding;
 * - more fields than a query may have parameters;
 * - names that a later merge could write to a prototype: `__proto__`, `constructor[prototype]`;
 * - names with more than five brackets, which overflow the stack of recursive parsers.
 */
export function parseForm(bytes: Buffer): FormFields {
  if (!isUtf8(bytes)) throw malformed('is not valid UTF-8')
  const fields: FormFields = Object.create(null)
  const text = bytes.toString('utf8')
  let count = 0
  for (let start = 0; start < text.length; ) {
    const next = text.indexOf('&', start)
    const end = next === -1 ? text.length : next
    if (end > start) {
      if (++count > MAX_PARAMETERS) throw tooMany()
      addField(fields, text.slice(start, end))
    }
    start = end + 1
  }
  return fields
}

function addField(fields: FormFields, pair: string): void {
  const equals = pair.indexOf('=')
  const name = decode(equals === -1 ? pair : pair.slice(0, equals))
  const value = equals === -1 ? '' : decode(pair.slice(equals + 1))
  if (isForbiddenName(name)) throw malformed('has a field with a forbidden name')
  const known = fields[name]
  if (known === undefined) fields[name] = value
  else if (typeof known === 'string') fields[name] = [known, value]
  else known.push(value)
}

function decode(text: string): string {
  const spaced = text.replaceAll('+', ' ')
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    throw malformed('has a percent-encoding that is not valid UTF-8')
  }
}

/** Whether a later merge could write a field of this name to a prototype, or overflow the stack. */
export function isForbiddenName(name: string): boolean {
  const keys = name.split(/[[\].]+/)
  return (
    keys.includes('__proto__') ||
    (keys.includes('constructor') && keys.includes('prototype')) ||
    name.split('[').length - 1 > MAX_BRACKETS
  )
}

function malformed(problem: string): Error {
  return refuse('MALFORMED_BODY', `The form ${problem}`)
}

function tooMany(): Error {
  const message = `The form has more than ${MAX_PARAMETERS} fields; send fewer, or send JSON`
  return refuse('TOO_MANY_PARAMETERS', message)
}
