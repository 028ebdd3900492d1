import type { FieldError, InputSource, ValidationIssue } from '../contracts/schema.js'

/** Whether a name is in the schema, so that it does not come from the client. */
export type Declares = (name: string) => boolean

/** An input that a schema has rejected. */
export interface RefusedInput {
  readonly source: InputSource
  /** The value as the client sent it. */
  readonly value: unknown
  readonly declares: Declares
}

/** Replaces a name in a path that is not in the schema. */
const UNKNOWN = '*'

/** Lists where an input is invalid, in messages that repeat nothing of it. */
export function genericErrors(
  issues: readonly ValidationIssue[],
  { source, value, declares }: RefusedInput,
): FieldError[] {
  const errors = new Map<string, FieldError>()
  for (const issue of issues) {
    const { path, found } = walk(issue.path, value, { source, declares })
    const message = found === undefined ? 'is missing' : 'is not valid'
    // Several issues of a library at one path become one message.
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
    // A schema may write names of headers with capitals.
    found = ownOf(found, source === 'headers' ? name.toLowerCase() : name)
    return isIndex || declares(name) ? name : UNKNOWN
  })
  return { path: path.join('.'), found }
}

function ownOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Readonly<Record<string, unknown>>)[name]
}
