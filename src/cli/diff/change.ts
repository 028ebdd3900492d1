/** What changed between two documents, in one place. */
export interface Change {
  /** What kind of change it is: `operation-removed`. Stable. */
  readonly rule: string
  /** Whether a client of the older document may fail with the newer one. */
  readonly isBreaking: boolean
  /** `GET /users/{id}`, or `document`. */
  readonly operation: string
  /** Where in the operation: `response 200 › data.name`; empty for the operation itself. */
  readonly location: string
  /** A sentence. */
  readonly message: string
}

/** A change before it is known where it is. */
export type LocalChange = Omit<Change, 'operation'>

/** Makes a change that breaks clients. */
export function breaking(rule: string, location: string, message: string): LocalChange {
  return { rule, isBreaking: true, location, message }
}

/** Makes a change that does not. */
export function compatible(rule: string, location: string, message: string): LocalChange {
  return { rule, isBreaking: false, location, message }
}

/** Goes one step further into a location: `data` and `name` give `data.name`. */
export function within(location: string, step: string): string {
  if (location === '' || location.endsWith('› ')) return `${location}${step}`
  return `${location}.${step}`
}

/** A value as a message shows it. */
export function show(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value)
}
