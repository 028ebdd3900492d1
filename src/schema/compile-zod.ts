import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { ValidationIssue, ValidationResult, Validator } from '../contracts/schema.js'
import { boundZod, type Internals, isZodNode, withRun, type ZodNode } from './bounded/bound-zod.js'
import { MAX_ISSUES } from './work-limit.js'

/** The part of `zod/v4/core` that this file uses. */
interface ZodCore {
  readonly version: { readonly major?: number; readonly minor?: number }
  /** Available since zod 4.5. Returns the schema unchanged if zod cannot compile it. */
  readonly compile?: (schema: StandardSchemaV1) => StandardSchemaV1
}

let loading: Promise<ZodCore | undefined> | undefined

/** Loads zod once, because an application can have thousands of schemas. */
function loadCore(): Promise<ZodCore | undefined> {
  // The specifier is a literal, so that bundlers include zod. An application does not have to install zod. Because of
  // the `catch`, esbuild and Rollup do not report an error if zod is missing.
  loading ??= import('zod/v4/core').catch(() => undefined) as Promise<unknown> as Promise<
    ZodCore | undefined
  >
  return loading
}

/**
 * Compiles a zod schema to a single function that zod generates. For a nested order, this function takes 2,000
 * instructions and the schema itself takes 28,000; the results and errors are the same. Returns `undefined` for schemas
 * of other libraries, if zod cannot compile, and if the schema's zod version differs from the version that this package
 * loads. A schema with callbacks is not compiled: see `isDefinite`.
 */
export async function compileZod(schema: StandardSchemaV1): Promise<Validator | undefined> {
  const version = (schema as { _zod?: { version?: object } })._zod?.version
  if (version === undefined) return undefined
  const core = await loadCore()
  if (core?.compile === undefined || !isSame(version, core.version)) return undefined
  const { compile } = core
  let run: Validator = function compileFirst(value) {
    // The schema is compiled on the route's first request, because compiling all routes would delay boot.
    const compiled = compiledOnce(schema, compile)
    run = fromStandard((input) => compiled['~standard'].validate(input))
    return run(value)
  }
  return (value) => run(value)
}

function isSame(version: object, other: object | undefined): boolean {
  return version === other || JSON.stringify(version) === JSON.stringify(other)
}

/** The compiled schemas. Schemas do not change, and several routes and applications can share a schema. */
const compiledSchemas = new WeakMap<StandardSchemaV1, StandardSchemaV1>()

function compiledOnce(
  schema: StandardSchemaV1,
  compile: NonNullable<ZodCore['compile']>,
): StandardSchemaV1 {
  const known = compiledSchemas.get(schema)
  if (known !== undefined) return known
  const compiled = compile(isZodNode(schema) ? explaining(schema) : schema)
  const chosen = isDefinite(compiled) ? compiled : boundZod(schema)
  compiledSchemas.set(schema, chosen)
  return chosen
}

/**
 * Returns a copy of the schema that uses the `run` function of the bounded schema. When the compiled function refuses a
 * value, zod calls `run` to collect the issues. The bounded schema is built when the first value is refused.
 */
function explaining<T extends StandardSchemaV1 & ZodNode>(schema: T): T {
  let bounded: Internals | undefined
  return withRun(schema, (payload, context) => {
    bounded ??= (boundZod(schema) as unknown as ZodNode)._zod
    return bounded.run(payload, context)
  })
}

/**
 * Whether zod can collect the issues of a refused value without calling user code a second time. After a refusal, zod
 * runs the schema again. A callback could then receive its own modified value. For example, a `z.preprocess` that
 * modifies its value in place would throw, and the client would receive a 500 response instead of a 400 response.
 */
function isDefinite(schema: StandardSchemaV1): boolean {
  const { bag } = (schema as { _zod?: { bag?: { validator?: { definite?: boolean } } } })._zod ?? {}
  return bag?.validator?.definite === true
}

/**
 * Creates a validator that calls the `validate` of a Standard Schema. The result is a promise only if that function
 * returns one.
 */
export function fromStandard(run: StandardSchemaV1.Props['validate']): Validator {
  return function validate(value) {
    const result = run(value)
    return isPromise(result) ? Promise.resolve(result).then(toResult) : toResult(result)
  }
}

/**
 * Whether a result is a promise. `instanceof` would return false for a promise from another realm. Such a promise has
 * no `issues`, so it would look like a valid result.
 */
function isPromise<T>(result: T | Promise<T>): result is Promise<T> {
  return typeof (result as Promise<T>).then === 'function'
}

function toResult(result: StandardSchemaV1.Result<unknown>): ValidationResult {
  if (result.issues === undefined) return { value: result.value }
  const issues: ValidationIssue[] = []
  // `slice` is not used, because arktype's list is a subclass of `Array`. `slice` would call the constructor of this
  // subclass with a length, which the constructor does not accept.
  for (const issue of result.issues) {
    if (issues.push(toIssue(issue)) === MAX_ISSUES) break
  }
  return { issues }
}

function toIssue({ path, message }: StandardSchemaV1.Issue): ValidationIssue {
  const steps: PropertyKey[] = []
  // `path.map` is not used, because arktype's path is a subclass of `Array` whose `map` adds a 0 to an empty path.
  // `Array.from` with a function is not used, because for an order with ten invalid fields it took half as long as the
  // whole validation by zod.
  for (const step of path ?? []) steps.push(typeof step === 'object' ? step.key : step)
  return { path: steps, message }
}
