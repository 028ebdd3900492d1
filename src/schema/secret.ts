import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Schema } from '../contracts/schema.js'
import { partsOf } from './schema-parts.js'

/** Marked copies of schemas of `zod/mini`, which have no `meta`. */
const marked = new WeakSet<object>()

/** The members of a schema that `secret` uses, by library. */
interface Marking {
  readonly '~standard'?: StandardSchemaV1.Props
  readonly _zod?: { readonly def: object }
  readonly meta?: (meta: object) => object
  readonly clone?: (def: object, params: object) => object
  readonly configure?: (meta: object) => object
}

/**
 * Marks a schema as secret: the values of its variable appear in no error, output or log of the framework. Returns a
 * copy with the mark; the given schema does not change. `.meta({ secret: true })` of zod, and `secret: true` in a JSON
 * Schema, are the same mark.
 *
 * @param schema A schema of zod 4, valibot or arktype, or a JSON Schema.
 * @throws TypeError for a schema of another library, which cannot carry the mark: name the variable in the option
 * `secrets` of `env` instead.
 * @example
 * const Env = env(z.object({ DATABASE_URL: secret(z.url()) }))
 */
export function secret<S extends Schema>(schema: S): S {
  const copy = markedCopy(schema as Marking)
  if (copy !== undefined) return copy as S
  const vendor = (schema as Marking | null | undefined)?.['~standard']?.vendor
  throw new TypeError(
    vendor === undefined
      ? 'secret(): pass a schema.'
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
  // Copied with its getters and symbols, which valibot and TypeBox need.
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
    // A method of zod, data of arktype. `metadata` belongs to an action of valibot.
    const found = typeof meta === 'function' && '_zod' in part ? meta.call(part) : meta
    if (hasMark(found) || hasMark(metadata)) return true
  }
  return false
}

function hasMark(meta: unknown): boolean {
  return typeof meta === 'object' && meta !== null && (meta as { secret?: unknown }).secret === true
}
