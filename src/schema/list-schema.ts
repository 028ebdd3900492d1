import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { InputSource, Schema, Validator } from '../contracts/schema.js'

/**
 * The schema of a list, whose items may have a schema of any library. The framework describes the items by their own
 * library; for other code it is a Standard Schema.
 */
export class ListSchema implements StandardSchemaV1 {
  readonly item: Schema
  /** The largest number of items. */
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
