import type { StandardSchemaV1 } from '@standard-schema/spec'
import { WorkLimit } from '../work-limit.js'

/** A depth that hand-written schemas do not reach. A deeper schema is treated as recursive. */
const MOST_LEVELS = 64

/** Schema fields that contain arbitrary values instead of schemas. */
const VALUES: readonly string[] = ['default', 'fallback', 'literal', '~standard']

/**
 * Whether a valibot schema contains itself, by `v.lazy` or by a getter in the entries of an object. Also returns true
 * when recursion cannot be ruled out: for each `v.lazy`, and for a very deep schema.
 */
function containsItself(schema: object): boolean {
  const path = new Set<object>()
  const finite = new Set<object>()
  function visit(part: unknown): boolean {
    if (typeof part !== 'object' || part === null || finite.has(part)) return false
    const { type } = part as { type?: unknown }
    if (type === 'lazy' || path.has(part) || path.size === MOST_LEVELS) return true
    path.add(part)
    const names = Object.keys(part).filter((name) => !VALUES.includes(name))
    const isFound = names.some((name) => visit((part as Record<string, unknown>)[name]))
    path.delete(part)
    finite.add(part)
    return isFound
  }
  return visit(schema)
}

/** The part of a valibot 1 schema that this file uses. */
interface ValibotSchema extends StandardSchemaV1 {
  /** The function that creates schemas of this kind. */
  readonly reference: (...parts: readonly unknown[]) => ValibotSchema
  /** Whether the schema is asynchronous, so that its validations can overlap. */
  readonly async: boolean
  '~run': Run
}

type Validated = ReturnType<StandardSchemaV1.Props['validate']>

type Run = (dataset: Dataset, config: ValibotOptions) => Validated

interface Dataset {
  readonly value?: unknown
}

interface ValibotOptions {
  readonly lang?: string | undefined
  readonly abortEarly?: boolean | undefined
  readonly message?: unknown
  readonly abortPipeEarly?: boolean | undefined
}

/**
 * The maximum number of issues. It is far higher than the maximum for a response, because alternatives that do not
 * match also create issues, which the response omits.
 */
const MOST_ISSUES = 2000

/** One valibot issue takes as long as this number of steps in other libraries. */
const STEPS_OF_ISSUE = 2

/**
 * Returns a copy of a schema. After {@link MOST_ISSUES} issues, each container of the copy stops at its next issue,
 * using valibot's own `abortEarly`. Otherwise, valibot collects 50,000 issues for 50,000 invalid items, each with the
 * issues of all alternatives.
 */
export function boundValibot(schema: StandardSchemaV1): StandardSchemaV1 {
  const { reference } = schema as ValibotSchema
  const probe = attempt(() => reference([], [], []))
  if (probe === undefined) return schema
  // Valibot passes the settings of `v.setGlobalConfig` to the schema whose `~standard.validate` is called. Here, this
  // is `probe`, which passes the settings to the original schema.
  const { async: isAsync } = schema as ValibotSchema
  let isEndless: boolean | undefined
  // If the schema does not contain itself, the work grows only with the size of the value. The work is then unlimited,
  // so that every valid value is accepted.
  const isCounted = () => {
    isEndless ??= containsItself(schema)
    return isEndless
  }
  const shared = createConfig(isCounted)
  probe['~run'] = ({ value }, config) => {
    const begin = isAsync ? createConfig(isCounted) : shared
    const validated = (schema as ValibotSchema)['~run']({ value }, begin(value, config))
    // Releases the value, because the last body would otherwise stay in memory until the next validation.
    if (!isAsync) begin(undefined, config)
    return validated
  }
  return probe
}

function attempt(make: () => ValibotSchema): ValibotSchema | undefined {
  try {
    return make()
  } catch {
    return undefined
  }
}

/**
 * Creates the settings for the validations of one schema, which run one after the other. Valibot reads `lang` once for
 * each issue, so the getter counts issues. The getters are own properties because `v.config` spreads the settings. The
 * object is reused, because creating it for each value took half as long as refusing an order with ten invalid fields.
 *
 * @param isCounted Whether to limit the work for a value with many issues.
 */
function createConfig(
  isCounted: () => boolean,
): (root: unknown, config: ValibotOptions) => ValibotOptions {
  let issues = 0
  let given: ValibotOptions = {}
  let value: unknown
  let work: WorkLimit | undefined
  function count(): void {
    if (work === undefined) {
      work = new WorkLimit()
      work.begin(value)
    }
    work.left -= STEPS_OF_ISSUE
    if (work.left < 0) work.extend()
  }
  const bounded: ValibotOptions = {
    get message() {
      return given.message
    },
    get abortPipeEarly() {
      return given.abortPipeEarly
    },
    get lang() {
      if (++issues > MOST_ISSUES && isCounted()) count()
      return given.lang
    },
    get abortEarly() {
      return issues > MOST_ISSUES || given.abortEarly
    },
  }
  return function begin(root, config) {
    issues = 0
    given = config
    value = root
    work = undefined
    return bounded
  }
}
