import type { StandardSchemaV1 } from '@standard-schema/spec'
import { boundZod } from './bounded/bound-zod.js'

/** The part of a zod 4 schema that is read here. */
interface ZodSchema extends StandardSchemaV1 {
  readonly safeParseAsync: (value: unknown) => Promise<{
    readonly success: boolean
    readonly data?: unknown
    readonly error?: { readonly issues: readonly StandardSchemaV1.Issue[] }
  }>
}

/** Kinds that hold a function of the user's, which may answer with a promise. */
const USER_CODE = new Set<unknown>(['custom', 'transform', 'lazy', 'promise'])

/** Fields that lead to values or to synchronous functions, and are getters that would call them. */
const NOT_SCHEMAS = ['defaultValue', 'catchValue', 'entries', 'values']

/**
 * Zod's own `~standard.validate` runs a schema synchronously and, when it meets a promise, drops that and
 * starts again: each asynchronous refinement runs twice, and one that rejects is an unhandled rejection,
 * which ends the process (colinhacks/zod#6610). A schema that may meet a promise is therefore parsed
 * asynchronously from the start; all others keep the quicker way. `undefined` means the latter.
 */
export function zodValidate(
  schema: StandardSchemaV1,
): StandardSchemaV1.Props['validate'] | undefined {
  const isZod = schema['~standard'].vendor === 'zod'
  if (!isZod || typeof (schema as ZodSchema).safeParseAsync !== 'function') return undefined
  if (!hasUserCode(schema)) return undefined
  const { safeParseAsync } = boundZod(schema) as ZodSchema
  return async function validate(value) {
    const { success, data, error } = await safeParseAsync(value)
    return success ? { value: data } : { issues: error?.issues ?? [] }
  }
}

/** A schema does not change, and a search of one takes longer than a request. */
const known = new WeakMap<object, boolean>()

/** Whether a schema of zod runs functions of the user's, which may answer with anything: a promise, or no number. */
export function hasUserCode(schema: object): boolean {
  const answer = known.get(schema) ?? findUserCode(schema, new Set())
  known.set(schema, answer)
  return answer
}

function findUserCode(node: unknown, seen: Set<object>): boolean {
  if (typeof node !== 'object' || node === null || seen.has(node)) return false
  seen.add(node)
  const def = (node as { _zod?: { def?: Record<string, unknown> } })._zod?.def
  if (def === undefined) return Object.values(node).some((value) => findUserCode(value, seen))
  const { type, check, transform } = def
  if (USER_CODE.has(type) || USER_CODE.has(check) || typeof transform === 'function') return true
  return Object.keys(def).some((key) => !NOT_SCHEMAS.includes(key) && findUserCode(def[key], seen))
}
