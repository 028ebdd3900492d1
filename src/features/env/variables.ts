import type { Schema } from '../../contracts/schema.js'
import { ConfigError, invalid } from '../../errors/config-error.js'
import { type ObjectFields, objectFields } from '../../schema/object-fields.js'
import { isSecret } from '../../schema/secret.js'
import type { EnvOptions } from './env-options.js'

/** A variable that the schema names. */
export interface Variable {
  readonly name: string
  readonly isSecret: boolean
  /** The schemas of its value; several if the variables are a union. */
  readonly schemas: readonly unknown[]
}

/** The variables that a schema names, in its order. */
export type Variables = ReadonlyMap<string, Variable>

/**
 * Lists the variables of a schema.
 *
 * @throws ConfigError if the schema names none, or if `secrets` names others.
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
      remedy:
        'Give the schema of an object whose fields are the variables: env(z.object({ PORT: … })).',
    },
  ])
}
