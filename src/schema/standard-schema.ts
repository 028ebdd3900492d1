import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Validator } from '../contracts/schema.js'
import { boundZod } from './bounded/bound-zod.js'
import { compileZod, fromStandard } from './compile-zod.js'
import { KeyedSchema } from './composed-schemas.js'
import { isStandard } from './validate-now.js'

/** Creates a validator that calls a Standard Schema. The result is a promise only if the schema returns a promise. */
export async function compileStandard(schema: StandardSchemaV1): Promise<Validator> {
  // A faster function with the same results as the `validate` of the schema.
  const quick = await compileZod(schema)
  const bound = await loadBound(schema['~standard'].vendor)
  // Selecting the safe function requires a search through the whole schema. The search runs for the first value,
  // because searching the schemas of all routes would delay boot.
  let run: Validator = function decide(value) {
    const safe = zodValidate(schema)
    run = safe === undefined && quick ? quick : fromStandard(safe ?? boundedValidate(schema, bound))
    return run(value)
  }
  return (value) => run(value)
}

function boundedValidate(
  schema: StandardSchemaV1,
  bound: BoundSchema,
): StandardSchemaV1.Props['validate'] {
  const { validate } = bound(schema)['~standard']
  return validate
}

/**
 * Whether a schema can produce `NaN` or an infinity. Zod itself rejects them, so in a zod schema, only a user function
 * can produce them.
 */
export function mayOverflow(schema: StandardSchemaV1): boolean {
  if (schema instanceof KeyedSchema) {
    const parts = Object.values(schema.entries)
    return parts.some((part) => part !== null && isStandard(part) && mayOverflow(part))
  }
  return schema['~standard'].vendor !== 'zod' || hasUserCode(schema)
}

/** The part of a zod 4 schema that this file reads. */
interface ZodSchema extends StandardSchemaV1 {
  readonly safeParseAsync: (value: unknown) => Promise<{
    readonly success: boolean
    readonly data?: unknown
    readonly error?: { readonly issues: readonly StandardSchemaV1.Issue[] }
  }>
}

/** The schema types that contain a user function, which may return a promise. */
const USER_CODE = new Set<unknown>(['custom', 'transform', 'lazy', 'promise'])

/**
 * Fields that contain values or synchronous functions instead of schemas. Some of these fields are getters that call
 * user code.
 */
const NOT_SCHEMAS = ['defaultValue', 'catchValue', 'entries', 'values']

/**
 * Returns a validator that parses asynchronously if a zod schema may return a promise; otherwise `undefined`. Zod's
 * `~standard.validate` first parses synchronously, and starts again asynchronously when it receives a promise. An
 * asynchronous refinement therefore runs twice, and if the first run rejects, the unhandled rejection ends the process
 * (colinhacks/zod#6610).
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

/** The cached results of the search, which takes longer than a request. Schemas do not change. */
const known = new WeakMap<object, boolean>()

/**
 * Whether a zod schema runs user functions. A user function can return any value, for example a promise, or `NaN` for a
 * number.
 */
function hasUserCode(schema: object): boolean {
  const found = known.get(schema) ?? findUserCode(schema, new Set())
  known.set(schema, found)
  return found
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

/** Returns a schema that stops soon after {@link MAX_ISSUES} issues, which is the maximum for one response. */
type BoundSchema = (schema: StandardSchemaV1) => StandardSchemaV1

/**
 * Loads the function that limits the issues of a library. For libraries that this package cannot limit, the function
 * returns schemas unchanged.
 *
 * @param vendor The library's name in its schemas.
 */
async function loadBound(vendor: string): Promise<BoundSchema> {
  switch (vendor) {
    case 'arktype':
      return (await import('./bounded/bound-arktype.js')).boundArktype
    case 'zod':
      return boundZod
    case 'valibot':
      return (await import('./bounded/bound-valibot.js')).boundValibot
    default:
      return (schema) => schema
  }
}
