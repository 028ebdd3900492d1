import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { InputSource, Schema, Validator } from '../contracts/schema.js'

/** Compiles a schema to a validator, as `createValidatorCompiler` does. */
type Compile = (schema: Schema, source: InputSource) => Promise<Validator>

export interface KeyedSettings {
  /** Whether other keys are kept, with their values unchanged. Otherwise, they are dropped. */
  readonly isOpen: boolean
  /** Creates the compiler for code outside the framework that validates with this schema. */
  readonly createCompiler: () => Compile
}

/**
 * The schema of an input that is described key by key, such as `@Query('page', schema)`. The schemas of the keys can
 * come from different libraries. The framework compiles and describes each key separately. For code outside the
 * framework, this object is a Standard Schema.
 */
export class KeyedSchema implements StandardSchemaV1 {
  /** The schema of each key; `null` for a key that accepts every value. */
  readonly entries: Readonly<Record<string, Schema | null>>
  /** Whether other keys are kept, with their values unchanged. */
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

/**
 * The schema of a list. The schema of its items can come from any library, and the framework describes the items with
 * that library. For code outside the framework, this object is a Standard Schema.
 */
export class ListSchema implements StandardSchemaV1 {
  readonly item: Schema
  /** The maximum number of items. */
  readonly max: number
  readonly '~standard': StandardSchemaV1.Props

  constructor(
    item: Schema,
    max: number,
    compile: (schema: Schema, source: InputSource) => Promise<Validator>,
  ) {
    this.item = item
    this.max = max
    let compiled: Promise<Validator> | undefined
    this['~standard'] = Object.freeze({
      version: 1 as const,
      vendor: 'blazon',
      validate: async (value: unknown) => {
        if (!Array.isArray(value)) return { issues: [{ message: 'must be a list' }] }
        if (value.length > max) return { issues: [{ message: `must have at most ${max} items` }] }
        compiled ??= compile(item, 'body')
        return validateAll(value, await compiled)
      },
    })
    Object.freeze(this)
  }
}

async function validateAll(
  list: readonly unknown[],
  validate: Validator,
): Promise<StandardSchemaV1.Result<unknown>> {
  const value: unknown[] = []
  for (const [index, item] of list.entries()) {
    const result = await validate(item)
    if (result.issues !== undefined) {
      return { issues: result.issues.map((issue) => ({ ...issue, path: [index, ...issue.path] })) }
    }
    value.push(result.value)
  }
  return { value }
}
