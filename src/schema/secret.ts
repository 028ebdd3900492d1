import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Schema } from '../contracts/schema.js'
import { partsOf } from './schema-parts.js'

/** The marked copies of `zod/mini` schemas, which have no `meta`. */
const marked = new WeakSet<object>()

/** The schema members that `secret` uses, depending on the library. */
interface Marking {
  readonly '~standard'?: StandardSchemaV1.Props
  readonly _zod?: { readonly def: object }
  readonly meta?: (meta: object) => object
  readonly clone?: (def: object, params: object) => object
  readonly configure?: (meta: object) => object
}

/**
 * Marks the schema of an environment variable as secret: the variable's value does not appear in any of the framework's
 * errors, output or logs. Returns a copy with the mark; the original schema does not change. Zod's
 * `.meta({ secret: true })` and `secret: true` in a JSON Schema have the same effect.
 *
 * @param schema A schema of zod 4, valibot or arktype, or a JSON Schema.
 * @throws TypeError for a value that is not a schema, and for a schema of another library, which cannot be marked. Add
 * the variable name to the option `secrets` of `env` instead.
 * @example
 * const Env = env(z.object({ DATABASE_URL: secret(z.url()) }))
 */
export function secret<S extends Schema>(schema: S): S {
  const copy = markedCopy(schema as Marking)
  if (copy !== undefined) return copy as S
  const vendor = (schema as Marking | null | undefined)?.['~standard']?.vendor
  throw new TypeError(
    vendor === undefined
      ? 'secret(): the argument is not a schema.'
      : `secret() cannot mark a schema of the library '${vendor}'. List the variable instead: env(schema, { secrets: ['NAME'] }).`,
  )
}

function markedCopy(schema: Marking): object | undefined {
  const isHolder = typeof schema === 'object' ? schema !== null : typeof schema === 'function'
  if (!isHolder) return undefined
  const standard = schema['~standard']
  const { _zod: zod } = schema
  if (standard?.vendor === 'arktype') return schema.configure?.({ secret: true })
  if (zod !== undefined) return schema.meta?.({ secret: true }) ?? markedClone(schema, zod.def)
  if (standard !== undefined && standard.vendor !== 'valibot') return undefined
  // The copy includes getters and symbols, which valibot and TypeBox need.
  const copy = Object.create(
    Object.getPrototypeOf(schema),
    Object.getOwnPropertyDescriptors(schema),
  ) as object
  return Object.defineProperty(copy, 'secret', { value: true, enumerable: true })
}

function markedClone(schema: Marking, def: object): object | undefined {
  const clone = schema.clone?.(def, { parent: true })
  if (clone !== undefined) marked.add(clone)
  return clone
}

/** Whether a schema, or a wrapped schema, is marked as secret. */
export function isSecret(schema: unknown): boolean {
  for (const part of partsOf(schema, { withResults: true })) {
    if (marked.has(part) || part['secret'] === true) return true
    const { meta, metadata } = part
    // `meta` is a method in zod and a data property in arktype. `metadata` is a property of valibot actions.
    const found = typeof meta === 'function' && '_zod' in part ? meta.call(part) : meta
    if (hasMark(found) || hasMark(metadata)) return true
  }
  return false
}

function hasMark(meta: unknown): boolean {
  return typeof meta === 'object' && meta !== null && (meta as { secret?: unknown }).secret === true
}
