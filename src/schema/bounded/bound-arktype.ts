import type { StandardSchemaV1 } from '@standard-schema/spec'
import { MAX_ISSUES } from '../work-limit.js'

/** The part of an arktype 2 type that this file uses. */
interface ArkType extends StandardSchemaV1 {
  (value: unknown): unknown
  readonly $: {
    readonly resolvedConfig: object
    readonly type: (definition: string) => (value: unknown) => Errors
  }
  readonly rootApplyStrategy: string
  readonly allows: (value: unknown) => boolean
  readonly traverseApply: (value: unknown, traversal: Traversal) => void
}

interface Errors {
  readonly constructor: new () => Iterable<StandardSchemaV1.Issue>
  readonly ctx: Traversal
}

interface Traversal {
  readonly constructor: new (value: unknown, config: object) => Traversal
  readonly branches: readonly unknown[]
  readonly errors: { readonly count: number }
  readonly finalize: () => unknown
}

/**
 * Returns a copy of a type. The validation of the copy stops at the next error after {@link MAX_ISSUES} errors: arktype
 * stops at the next error while `failFast` is true. Originally, `failFast` is true only inside alternatives. Here, it
 * is also true after that many errors.
 */
export function boundArktype(schema: StandardSchemaV1): StandardSchemaV1 {
  const type = schema as ArkType
  const errors = attempt(type)
  if (errors === undefined) return schema
  const { rootApplyStrategy, $ } = type
  const Bounded = bound(errors.ctx.constructor)
  const toResult = (made: unknown): StandardSchemaV1.Result<unknown> =>
    made instanceof errors.constructor ? { issues: [...made] } : { value: made }
  function validate(value: unknown): StandardSchemaV1.Result<unknown> {
    const isQuick = rootApplyStrategy !== 'contextual' && type.allows(value)
    if (isQuick) return rootApplyStrategy === 'allows' ? { value } : toResult(type(value))
    const traversal = new Bounded(value, $.resolvedConfig)
    type.traverseApply(value, traversal)
    return toResult(traversal.finalize())
  }
  return { '~standard': { ...schema['~standard'], validate } }
}

/**
 * Returns arktype's classes, taken from the errors of a type that accepts no value. Importing the classes is not safe,
 * because a process can contain several copies of arktype.
 */
function attempt({ $, traverseApply }: ArkType): Errors | undefined {
  try {
    const errors = $.type('never')(0)
    return typeof traverseApply === 'function' && 'failFast' in errors.ctx ? errors : undefined
  } catch {
    return undefined
  }
}

function bound(Found: Traversal['constructor']): Traversal['constructor'] {
  return class BoundedTraversal extends Found {
    get failFast(): boolean {
      return this.branches.length > 0 || this.errors.count >= MAX_ISSUES
    }
  }
}
