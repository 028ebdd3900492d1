import type { StandardSchemaV1 } from '@standard-schema/spec'
import { WorkLimit } from '../work-limit.js'

/** The part of a schema of valibot 1 that is used here. */
interface ValibotSchema extends StandardSchemaV1 {
  /** Makes schemas of this kind. */
  readonly reference: (...parts: readonly unknown[]) => ValibotSchema
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
  probe['~run'] = ({ value }, config) =>
    (schema as ValibotSchema)['~run']({ value }, boundedConfig(value, config))
  return probe
}

function attempt(make: () => ValibotSchema): ValibotSchema | undefined {
  try {
    return make()
  } catch {
    return undefined
  }
}

/** Valibot reads the language once for each issue that it makes. Own properties, because `v.config` spreads what it is given. */
function boundedConfig(root: unknown, config: Config): Config {
  let issues = 0
  let work: WorkLimit | undefined
  function count(): void {
    if (work === undefined) {
      work = new WorkLimit()
      work.begin(root)
    }
    work.left -= STEPS_OF_ISSUE
    if (work.left < 0) work.extend()
  }
  return {
    message: config.message,
    abortPipeEarly: config.abortPipeEarly,
    get lang() {
      if (++issues > MOST_ISSUES) count()
      return config.lang
    },
    get abortEarly() {
      return issues > MOST_ISSUES || config.abortEarly
    },
  }
}
