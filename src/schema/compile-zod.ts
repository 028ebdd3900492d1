import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Validator } from '../contracts/schema.js'
import { boundZod } from './bounded/bound-zod.js'
import { type Internals, isZodNode, withRun, type ZodNode } from './bounded/zod-node.js'
import { fromStandard } from './from-standard.js'

/** The part of `zod/v4/core` that this file uses. */
interface ZodCore {
  readonly version: { readonly major?: number; readonly minor?: number }
  /** Exists from zod 4.5 on. Returns the schema unchanged when it cannot compile it. */
  readonly compile?: (schema: StandardSchemaV1) => StandardSchemaV1
}

let loading: Promise<ZodCore | undefined> | undefined

/** An application may have thousands of schemas. All of them share one import. */
function loadCore(): Promise<ZodCore | undefined> {
  // A literal, so that bundlers include it. The application may not have zod; for esbuild and Rollup that is not an error,
  // because of the `catch`.
  loading ??= import('zod/v4/core').catch(() => undefined) as Promise<unknown> as Promise<
    ZodCore | undefined
  >
  return loading
}

/**
 * Compiles a zod schema to one function that zod generates. For a nested order, this function takes 2,000 instructions
 * and the schema itself takes 28,000; results and errors are the same. Returns `undefined` for schemas of other
 * libraries, for a zod version that cannot compile, and for a copy of zod with another version than this package finds.
 * A schema with callbacks is not compiled: see `isDefinite`.
 */
export async function compileZod(schema: StandardSchemaV1): Promise<Validator | undefined> {
  const version = (schema as { _zod?: { version?: object } })._zod?.version
  if (version === undefined) return undefined
  const core = await loadCore()
  if (core?.compile === undefined || !isSame(version, core.version)) return undefined
  const { compile } = core
  let run: Validator = function compileFirst(value) {
    // Compiled at the first request of the route, because compiling all routes would delay the boot.
    const compiled = compiledOnce(schema, compile)
    run = fromStandard((input) => compiled['~standard'].validate(input))
    return run(value)
  }
  return (value) => run(value)
}

function isSame(version: object, other: object | undefined): boolean {
  return version === other || JSON.stringify(version) === JSON.stringify(other)
}

/** Schemas do not change, and several routes and applications may share one. */
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
 * When the compiled function refuses a value, zod runs the schema's `run` again to collect the issues. This
 * schema delegates that `run` to the bounded schema, which is built at the first refused value.
 */
function explaining<T extends StandardSchemaV1 & ZodNode>(schema: T): T {
  let bounded: Internals | undefined
  return withRun(schema, (payload, context) => {
    bounded ??= (boundZod(schema) as unknown as ZodNode)._zod
    return bounded.run(payload, context)
  })
}

/**
 * Whether zod can collect the issues of a refused value without calling user code a second time. After a
 * refusal zod runs the schema again. A callback would then receive a value that it has changed already: a
 * `z.preprocess` that splits a list in place would throw, and the client would get 500 instead of 400.
 */
function isDefinite(schema: StandardSchemaV1): boolean {
  const { bag } = (schema as { _zod?: { bag?: { validator?: { definite?: boolean } } } })._zod ?? {}
  return bag?.validator?.definite === true
}
