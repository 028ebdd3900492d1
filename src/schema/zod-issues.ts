import type { ValidationIssue } from '../contracts/schema.js'
import { MAX_ISSUES } from './max-issues.js'

/** What an error map of zod returns. */
type MapResult = string | { readonly message?: string } | null | undefined
type ErrorMap = (issue: RawIssue) => MapResult

/** A schema or a check of zod. */
interface Raiser {
  readonly _zod: {
    readonly traits?: ReadonlySet<string>
    readonly def?: { readonly error?: ErrorMap }
  }
}

/** An issue as zod collects it, before it has a message. */
export interface RawIssue {
  readonly path?: PropertyKey[]
  readonly message?: string
  /** What has raised the issue. */
  readonly inst?: Raiser
  /** The schema that the check belongs to. */
  schema?: Raiser
}

/** The error maps of all schemas: those of `z.config`, and of the language. */
export interface ErrorMaps {
  readonly customError?: ErrorMap
  readonly localeError?: ErrorMap
}

/**
 * Whether the zod of a version finds the message of an issue as {@link readIssues} does. Zod does not document the order
 * of its error maps, so this is true only for versions with which `test/schema/zod-issues.test.ts` has passed.
 */
export function canReadIssues({ major, minor }: { major?: number; minor?: number }): boolean {
  return major === 4 && (minor === 5 || minor === 6)
}

/**
 * Reads the issues that a response may contain. Zod itself copies every issue to an object without fixed fields, and
 * makes all of them. For an order with ten wrong fields that took a quarter of the whole validation. Messages, and what
 * error maps receive, are the same.
 */
export function readIssues(raw: readonly RawIssue[], maps: ErrorMaps): ValidationIssue[] {
  const count = Math.min(raw.length, MAX_ISSUES)
  const issues: ValidationIssue[] = []
  for (let i = 0; i < count; i++) {
    const issue = raw[i] as RawIssue
    issues.push({ path: issue.path ?? [], message: messageOf(issue, maps) })
  }
  return issues
}

/** The first message of: the issue itself, what has raised it, its schema, `z.config`, the language. */
function messageOf(issue: RawIssue, { customError, localeError }: ErrorMaps): string {
  const { inst } = issue
  const schema = schemaOf(issue)
  // Error maps may read it.
  if (schema !== issue.schema) issue.schema = schema as Raiser
  if (issue.message) return issue.message
  const ofSchema = schema === inst ? undefined : schema?._zod.def?.error
  return (
    textOf(inst?._zod.def?.error?.(issue)) ??
    textOf(ofSchema?.(issue)) ??
    textOf(customError?.(issue)) ??
    textOf(localeError?.(issue)) ??
    'Invalid input'
  )
}

/** A schema owns the issue that it raises, unless it is also a check, as string formats are, and belongs to another. */
function schemaOf({ inst, schema }: RawIssue): Raiser | undefined {
  const traits = inst?._zod.traits
  if (!traits?.has('$ZodType')) return schema
  return traits.has('$ZodCheck') ? (schema ?? inst) : inst
}

function textOf(made: MapResult): string | undefined {
  return typeof made === 'string' ? made : made?.message
}
