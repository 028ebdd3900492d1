import type { StandardSchemaV1 } from '@standard-schema/spec'
import { boundZod } from './bounded/bound-zod.js'
import { isZodNode, withRun, type ZodNode } from './bounded/zod-node.js'

type Validate = StandardSchemaV1.Props['validate']

/** The part of `zod/v4/core` that is used here. */
interface ZodCore {
  readonly version: object
  /** From zod 4.5 on. Answers with the schema as it is where it cannot do better. */
  readonly compile?: (schema: StandardSchemaV1) => StandardSchemaV1
}

// Named by a variable, so that no bundler looks for a package that an application may not have.
const CORE: string = 'zod/v4/core'

let loading: Promise<ZodCore | undefined> | undefined

/** Thousands of schemas wait for one import. */
function loadCore(): Promise<ZodCore | undefined> {
  loading ??= import(CORE).catch(() => undefined)
  return loading
}

/**
 * A schema of zod as one function that zod writes: of a nested order it takes 2,000 instructions to validate where the
 * schema itself takes 28,000, with the same results and errors. `undefined` for schemas of other libraries and of a zod
 * that cannot, or that is another copy than the one found from here. Schemas with callbacks run as they are.
 */
export async function compileZod(schema: StandardSchemaV1): Promise<Validate | undefined> {
  const version = (schema as { _zod?: { version?: object } })._zod?.version
  if (version === undefined) return undefined
  const core = await loadCore()
  const compile = core?.compile
  if (compile === undefined || !isSame(version, core?.version)) return undefined
  let compiled: StandardSchemaV1.Props | undefined
  return function validate(value) {
    // By the first request that needs it: a start would wait for the functions of all routes.
    compiled ??= compiledOnce(schema, compile)['~standard']
    return compiled.validate(value)
  }
}

function isSame(version: object, other: object | undefined): boolean {
  return version === other || JSON.stringify(version) === JSON.stringify(other)
}

/** A schema does not change, and several routes and applications may use it. */
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

/** What the function refuses is given to the bounded schema, which is made when the first value is refused. */
function explaining<T extends StandardSchemaV1 & ZodNode>(schema: T): T {
  return withRun(schema, (payload, context) => {
    const { _zod } = boundZod(schema) as unknown as ZodNode
    return _zod.run(payload, context)
  })
}

/**
 * Whether nothing of the schema runs twice. What the function refuses is given to the schema, which says why; a callback would
 * then meet what it has changed itself: one of `z.preprocess` that splits a list in place throws, and 400 becomes 500.
 */
function isDefinite(schema: StandardSchemaV1): boolean {
  const { bag } = (schema as { _zod?: { bag?: { validator?: { definite?: boolean } } } })._zod ?? {}
  return bag?.validator?.definite === true
}
