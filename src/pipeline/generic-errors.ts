import type { FieldError, InputSource, ValidationIssue } from '../contracts/schema.js'

/** Whether a name stands in a schema, so that it is not the client's. */
export type Declares = (name: string) => boolean

/** What a schema refused. */
export interface RefusedInput {
  readonly source: InputSource
  /** As it was sent. */
  readonly value: unknown
  readonly declares: Declares
}

/** Stands in a path for a name that only the client knows. */
const UNKNOWN = '*'

/** Says where something is not as described, in words that repeat nothing of what was sent. */
export function genericErrors(
  issues: readonly ValidationIssue[],
  { source, value, declares }: RefusedInput,
): FieldError[] {
  const errors = new Map<string, FieldError>()
  for (const issue of issues) {
    const { path, found } = walk(issue.path, value, declares)
    const message = found === undefined ? 'is missing' : 'is not valid'
    // What several rules of a library say in words of their own is one sentence here.
    errors.set(`${path} ${message}`, { in: source, path, message })
  }
  return [...errors.values()]
}

function walk(
  steps: readonly PropertyKey[],
  value: unknown,
  declares: Declares,
): { path: string; found: unknown } {
  let found = value
  const path = steps.map((step) => {
    const name = String(step)
    const isIndex = Array.isArray(found) && /^\d+$/.test(name)
    found = ownOf(found, name)
    return isIndex || declares(name) ? name : UNKNOWN
  })
  return { path: path.join('.'), found }
}

function ownOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Readonly<Record<string, unknown>>)[name]
}
