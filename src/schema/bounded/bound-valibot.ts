import type { StandardSchemaV1 } from '@standard-schema/spec'
import { WorkLimit } from '../work-limit.js'

/** The part of a schema of valibot 1 that is used here. */
interface ValibotSchema extends StandardSchemaV1 {
  readonly '~run': (dataset: Dataset, config: Config) => unknown
}

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

/**
 * The same schema, but after {@link MOST_ISSUES} issues of a value each container stops at its next one, by valibot's own
 * `abortEarly`: of 50,000 wrong items, valibot kept 50,000 issues, each with what all alternatives say.
 */
export function boundValibot(schema: StandardSchemaV1): StandardSchemaV1 {
  const run = (schema as Partial<ValibotSchema>)['~run']
  if (typeof run !== 'function') return schema
  // `~standard` asks the schema that it is read from to run, with the application's own settings.
  return Object.create(schema, {
    '~run': {
      value: (dataset: Dataset, config: Config) =>
        run.call(schema, dataset, boundedConfig(dataset.value, config)),
    },
  })
}

/** Valibot reads the language once for each issue that it makes. */
function boundedConfig(value: unknown, config: Config): Config {
  const { lang, abortEarly, message, abortPipeEarly } = config
  const work = new WorkLimit()
  work.begin(value)
  let issues = 0
  return {
    message,
    abortPipeEarly,
    get lang() {
      issues++
      if (--work.left < 0) work.extend()
      return lang
    },
    get abortEarly() {
      return issues > MOST_ISSUES || abortEarly
    },
  }
}
