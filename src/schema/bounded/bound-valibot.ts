import type { StandardSchemaV1 } from '@standard-schema/spec'
import { WorkLimit } from '../work-limit.js'
import { containsItself } from './contains-itself.js'

/** The part of a schema of valibot 1 that is used here. */
interface ValibotSchema extends StandardSchemaV1 {
  /** Makes schemas of this kind. */
  readonly reference: (...parts: readonly unknown[]) => ValibotSchema
  /** Whether validations may overlap. */
  readonly async: boolean
  '~run': Run
}

type Validated = ReturnType<StandardSchemaV1.Props['validate']>

type Run = (dataset: Dataset, config: Config) => Validated

interface Dataset {
  readonly value?: unknown
}

interface Config {
  readonly lang?: string | undefined
  readonly abortEarly?: boolean | undefined
  readonly message?: unknown
  readonly abortPipeEarly?: boolean | undefined
}

/** So many, because alternatives that are not the right one make issues too, which nobody sees. */
const MOST_ISSUES = 2000

/** An issue of valibot's takes as long as some steps of others. */
const STEPS_OF_ISSUE = 2

/**
 * The same schema, but after {@link MOST_ISSUES} issues of a value each container stops at its next one, by valibot's own
 * `abortEarly`: of 50,000 wrong items, valibot kept 50,000 issues, each with what all alternatives say.
 */
export function boundValibot(schema: StandardSchemaV1): StandardSchemaV1 {
  const { reference } = schema as ValibotSchema
  const probe = attempt(() => reference([], [], []))
  if (probe === undefined) return schema
  // The settings of `v.setGlobalConfig` are given to whom `~standard` runs: here, to a schema of our own.
  const { async: isAsync } = schema as ValibotSchema
  let isEndless: boolean | undefined
  // Without alternatives that contain each other, the work grows with the value alone: nothing that is valid is refused for it.
  const isCounted = () => {
    isEndless ??= containsItself(schema)
    return isEndless
  }
  const shared = createConfig(isCounted)
  probe['~run'] = ({ value }, config) => {
    const begin = isAsync ? createConfig(isCounted) : shared
    const validated = (schema as ValibotSchema)['~run']({ value }, begin(value, config))
    // Else the last body would be kept until the next one comes.
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
 * Makes the settings of one validation after the other. Valibot reads the language once for each issue that it makes. They are own
 * properties, because `v.config` spreads what it is given; to make those took half as long as to refuse an order with ten wrong fields.
 *
 * @param isCounted Whether the work of a value with many issues is limited.
 */
function createConfig(isCounted: () => boolean): (root: unknown, config: Config) => Config {
  let issues = 0
  let given: Config = {}
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
  const bounded: Config = {
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
