import { inspect } from 'node:util'
import type { Schema } from '../../contracts/schema.js'
import { ConfigError, invalid } from '../../errors/config-error.js'
import { type ObjectFields, objectFields } from '../../schema/object-fields.js'
import { isSecret } from '../../schema/secret.js'
import type { EnvOptions } from './env-options.js'

/** A variable that the schema describes. */
export interface Variable {
  readonly name: string
  readonly isSecret: boolean
  /** The schemas of the variable's value. There are several if the schema of the variables is a union. */
  readonly schemas: readonly unknown[]
}

/** The variables that a schema describes, in the schema's order. */
export type Variables = ReadonlyMap<string, Variable>

/**
 * Lists the variables of a schema.
 *
 * @throws ConfigError if the schema does not show its variables, or if `secrets` contains other names.
 */
export function variablesOf(schema: Schema, { secrets = [] }: EnvOptions): Variables {
  const fields = fieldsOf(schema)
  const unknown = secrets.filter((name) => !fields.has(name))
  if (unknown.length > 0) {
    throw new ConfigError(
      unknown.map((name) =>
        invalid(
          'env.secrets',
          `The schema has no variable ${name}.`,
          'Correct the name, or remove it.',
        ),
      ),
    )
  }
  return new Map(
    [...fields].map(([name, schemas]) => [
      name,
      { name, schemas, isSecret: secrets.includes(name) || schemas.some(isSecret) },
    ]),
  )
}

function fieldsOf(schema: Schema): ObjectFields {
  const isSchema = typeof schema === 'object' ? schema !== null : typeof schema === 'function'
  const fields = isSchema ? objectFields(schema) : null
  if (fields !== null) return fields
  throw new ConfigError([
    {
      code: 'E_SCHEMA_INVALID',
      subject: 'env()',
      cause: 'Its schema does not show which variables it has.',
      remedy: 'Pass an object schema whose fields are the variables: env(z.object({ PORT: … })).',
    },
  ])
}

/** The string that is shown in place of a secret. */
export const MASK = '••••'

/**
 * Creates the frozen object of variables. Secrets are read like all other properties. They are not enumerable, so
 * copies, JSON and serializers omit them. They are getters, so `inspect` with `showHidden` does not show them.
 *
 * @param isShown Whether a property can be printed.
 */
export function maskSecrets<T extends object>(values: T, isShown: (name: string) => boolean): T {
  const made = {}
  for (const [name, value] of Object.entries(values)) {
    freezePlain(value)
    const property = isShown(name) ? { value, enumerable: true } : { get: () => value }
    Object.defineProperty(made, name, property)
  }
  const masked = () => maskedCopy(values, isShown)
  for (const key of ['toJSON', inspect.custom]) {
    if (!Object.hasOwn(made, key)) Object.defineProperty(made, key, { value: masked })
  }
  // The object has the same properties as `values`.
  return Object.freeze(made) as T
}

/** Freezes lists and plain objects, including their content. Class instances are not frozen. */
function freezePlain(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return
  const prototype: unknown = Object.getPrototypeOf(value)
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) return
  for (const each of Object.values(Object.freeze(value))) freezePlain(each)
}

function maskedCopy(values: object, isShown: (name: string) => boolean): object {
  const copy = {}
  for (const [name, value] of Object.entries(values)) {
    // The property is defined instead of assigned, because its name may be `__proto__`.
    const shown = isShown(name) ? value : MASK
    Object.defineProperty(copy, name, { value: shown, enumerable: true })
  }
  return copy
}
