import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { InputSource, Schema, Validator } from '../contracts/schema.js'

/** Compiles a schema to a validator, as `createValidatorCompiler` does. */
type Compile = (schema: Schema, source: InputSource) => Promise<Validator>

/** How a {@link KeyedSchema} is made. */
export interface KeyedSettings {
  /** Whether values of other keys stay as they are. Otherwise they are left out. */
  readonly isOpen: boolean
  /** Creates the compiler for code outside of the framework that validates with this schema. */
  readonly createCompiler: () => Compile
}

/**
 * The schema of an input that is described key by key: `@Query('page', schema)`. Each key may have a schema of another
 * library. The framework compiles and describes the keys one by one; for other code it is a Standard Schema.
 */
export class KeyedSchema implements StandardSchemaV1 {
  /** The schema of each key; `null` for a key that accepts every value. */
  readonly entries: Readonly<Record<string, Schema | null>>
  /** Whether values of other keys stay as they are. */
  readonly isOpen: boolean
  readonly '~standard': StandardSchemaV1.Props

  constructor(
    entries: Iterable<readonly [key: string, schema: Schema | null]>,
    { isOpen, createCompiler }: KeyedSettings,
  ) {
    this.entries = Object.freeze(Object.fromEntries(entries))
    this.isOpen = isOpen
    let compiled: Promise<Validator> | undefined
    this['~standard'] = Object.freeze({
      version: 1 as const,
      vendor: 'blazon',
      validate: async (value: unknown) => {
        compiled ??= createCompiler()(this, 'body')
        return (await compiled)(value)
      },
    })
    Object.freeze(this)
  }
}
