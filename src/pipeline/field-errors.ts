import type { FieldError, InputSource, ValidationIssue } from '../contracts/schema.js'
import { MAX_ISSUES } from '../schema/work-limit.js'

/**
 * The maximum total size of the errors, in bytes. A limit is needed because names and messages may repeat data from the
 * client.
 */
const MAX_BYTES = 8 * 1024
const MAX_MESSAGE = 1000
const MAX_PATH = 250

/** The maximum number of bytes for one character in JSON, as in `\u0001`. */
const MOST_BYTES_OF_CHARACTER = 6

/** Returns as many errors as a response can contain. Truncates names and messages that are too long. */
export function limitErrors(errors: readonly FieldError[]): readonly FieldError[] {
  const first = errors.slice(0, MAX_ISSUES)
  let length = 0
  for (const { path, message } of first) length += path.length + message.length
  // In nearly all cases, the errors are so short that their bytes need not be counted.
  return length * MOST_BYTES_OF_CHARACTER <= MAX_BYTES ? first : limitBytes(first)
}

/** Truncates the list to `MAX_BYTES`. The first error always fits. */
function limitBytes(errors: readonly FieldError[]): readonly FieldError[] {
  let room = MAX_BYTES
  const kept: FieldError[] = []
  for (const error of errors) {
    const short = {
      in: error.in,
      path: shorten(error.path, MAX_PATH),
      message: shorten(error.message, MAX_MESSAGE),
    }
    room -= Buffer.byteLength(JSON.stringify(short)) + 1
    if (room < 0) break
    kept.push(short)
  }
  return kept
}

function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text
}

/** Whether a name is in the schema, and therefore does not come from the client. */
export type Declares = (name: string) => boolean

/** An input that a schema has rejected. */
interface RefusedInput {
  readonly source: InputSource
  /** The original value from the client. */
  readonly value: unknown
  readonly declares: Declares
}

/** The replacement for path segments whose name is not in the schema. */
const UNKNOWN = '*'

/** Lists the invalid fields of an input, with messages that contain no values from the request. */
export function genericErrors(
  issues: readonly ValidationIssue[],
  { source, value, declares }: RefusedInput,
): FieldError[] {
  const errors = new Map<string, FieldError>()
  for (const issue of issues) {
    const { path, found } = walk(issue.path, value, { source, declares })
    const message = found === undefined ? 'is missing' : 'is not valid'
    // Several issues with the same path and message become one error.
    errors.set(`${path} ${message}`, { in: source, path, message })
  }
  return [...errors.values()]
}

function walk(
  steps: readonly PropertyKey[],
  value: unknown,
  { source, declares }: Pick<RefusedInput, 'source' | 'declares'>,
): { path: string; found: unknown } {
  let found = value
  const path = steps.map((step) => {
    const name = String(step)
    const isIndex = Array.isArray(found) && /^\d+$/.test(name)
    // A schema may contain header names with upper-case letters.
    found = ownOf(found, source === 'headers' ? name.toLowerCase() : name)
    return isIndex || declares(name) ? name : UNKNOWN
  })
  return { path: path.join('.'), found }
}

function ownOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Readonly<Record<string, unknown>>)[name]
}
