import type { FactOf } from '../contracts/facts.js'
import type { SseOptions, StreamOptions } from '../contracts/representation.js'
import { invalid, type Problem } from '../errors/config-error.js'
import { type OptionNames, unknownNames } from '../errors/option-group.js'
import { checkDuration } from '../http/units.js'
import { type FactsByKind, factsOf } from './facts-by-kind.js'
import { schemaProblem } from './schema-problem.js'

const LABELS = { sse: '@Sse', jsonLines: '@JsonLines' } as const
const JSON_LINES: OptionNames<StreamOptions> = { maxAge: true }
const SSE: OptionNames<SseOptions> = { ...JSON_LINES, heartbeat: true }

type OneValue = 'redirect' | 'status' | 'produces'

/** Decorators for responses with one value, and the reasons why they are not allowed on streams. */
const ONE_VALUE: Readonly<Record<OneValue, readonly [string, string]>> = {
  redirect: ['@Redirect', 'a redirect has no items'],
  status: [
    '@HttpCode',
    'a stream always has the status 200, the only status for which browsers read events',
  ],
  produces: ['@Produces', 'the stream decorator sets the format of its items'],
}

/** Checks `@Sse` and `@JsonLines` on one method. */
export function checkStream(subject: string, facts: FactsByKind): Problem[] {
  const streams = factsOf(facts, 'stream')
  return [
    ...streams.flatMap((each) => checkOne(subject, each)),
    ...checkPair(subject, streams),
    ...checkOthers(subject, facts),
  ]
}

function checkOne(subject: string, { format, item, options }: FactOf<'stream'>): Problem[] {
  const place = `${subject} ${LABELS[format]}`
  const problem = schemaProblem(item)
  const { heartbeat, maxAge } = options ?? {}
  return [
    ...(problem === null ? [] : [wrongSchema(place, problem)]),
    ...checkDuration(`${place} maxAge`, maxAge),
    ...checkDuration(`${place} heartbeat`, heartbeat === false ? undefined : heartbeat),
    ...unknownNames(`${place} `, options, format === 'sse' ? SSE : JSON_LINES),
  ]
}

function wrongSchema(
  subject: string,
  { cause, remedy }: { readonly cause: string; readonly remedy: string },
): Problem {
  return { code: 'E_SCHEMA_INVALID', subject, cause: `The schema of its items ${cause}`, remedy }
}

function checkPair(subject: string, streams: readonly FactOf<'stream'>[]): Problem[] {
  const kinds = new Set(streams.map(({ format }) => format))
  if (kinds.size < streams.length) {
    const cause = 'It has the same stream decorator twice, but only one of them would take effect.'
    return [{ code: 'E_DECORATOR_CONFLICT', subject, cause, remedy: 'Remove one of them.' }]
  }
  const items = new Set(streams.map(({ item }) => item))
  if (items.size < 2) return []
  const cause = '@Sse and @JsonLines have different schemas, but the handler yields the same items.'
  return [invalid(subject, cause, 'Pass the same schema to both decorators.')]
}

function checkOthers(subject: string, facts: FactsByKind): Problem[] {
  const conflicts = Object.entries(ONE_VALUE).filter(
    ([kind]) => facts[kind as keyof typeof ONE_VALUE] !== undefined,
  )
  const documented = factsOf(facts, 'responseDoc').some(({ options }) => isSuccess(options?.status))
  const found = conflicts.map(([, reason]) => reason)
  if (documented)
    found.push(['@ApiResponseDoc for a success status', 'the stream decorator documents it'])
  return found.map(([name, reason]) => ({
    code: 'E_DECORATOR_CONFLICT',
    subject,
    cause: `It is a stream and has ${name}: ${reason}.`,
    remedy: `Remove ${name}.`,
  }))
}

function isSuccess(status: number | undefined): boolean {
  return status !== undefined && status >= 200 && status < 300
}
