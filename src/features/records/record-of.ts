import type { RanStatement } from '../../contracts/database.js'
import type { Request } from '../../contracts/handler.js'
import type { Decision, DecisionValue } from '../../contracts/observers.js'
import type { RanCall } from '../../contracts/outgoing-call.js'
import type { RequestSecretTexts } from '../../contracts/plugin.js'
import type {
  RecordedCall,
  RecordedDecision,
  RecordedError,
  RecordedLog,
  RecordedRoute,
  RecordedStatement,
  RecordedStep,
  RequestRecord,
} from '../../contracts/request-record.js'
import type { RouteModel } from '../../contracts/route-model.js'
import type { StepName } from '../../contracts/steps.js'
import type { Clock } from '../../di/token.js'
import { tenantOf } from '../../http/request-state.js'
import { isFlag, isSecretName } from '../../schema/secret-name.js'
import { type Draft, decisionOf, findQueries, REPEATS, type Timed } from './draft.js'

/** Dependencies of the functions that build a record. */
export interface WriteConfig {
  readonly clock: Clock
  readonly secrets: RequestSecretTexts
  /** Returns the application's line in a stack. The property is `null` if statements have no stacks. */
  readonly placeIn: ((stack: string) => string | null) | null
}

/** The names of decisions that a record stores in other fields. */
const [LOG, ERROR] = ['log', 'error']

/** Builds the record of a request in its current state. */
export function recordOf(draft: Draft, { clock, secrets, placeIn }: WriteConfig): RequestRecord {
  const { req, ended } = draft
  const { hideIn } = secrets
  const now = ended === undefined ? clock.monotonic() : draft.end
  const begin = ended === undefined ? draft.begin : draft.end - ended.durationMs
  const since = (time: number) => Math.max(0, round(time - begin))
  const route = ended === undefined ? routeOf(req) : (ended.route ?? undefined)
  const noted = draft.decisions
  return {
    id: idOf(req),
    startedAt: ended?.startedAt ?? clock.now() - (now - begin),
    durationMs: round(now - begin),
    method: req.method,
    url: secrets.url,
    route: route === undefined ? null : recordedRoute(route),
    status: ended === undefined ? (req.res?.statusCode ?? null) : ended.status,
    outcome: ended?.outcome ?? null,
    cause: ended?.cause ?? null,
    answeredBy: answererOf(draft.steps),
    tenant: (ended === undefined ? tenantOf(req) : ended.tenant) ?? null,
    user: userOf(req),
    decisions: [
      ...noted
        .filter(({ value: { by } }) => by !== LOG && by !== ERROR)
        .map(({ at, value }) => recordedDecision(value, since(at), hideIn)),
      ...validationIn(draft, route, since),
      ...findQueries(draft, route, REPEATS).map((finding) =>
        recordedDecision(decisionOf(finding), since(now), hideIn),
      ),
    ].sort((a, b) => a.at - b.at),
    steps: recordedSteps(draft.steps, since, round(now - begin)),
    statements: draft.statements
      .map((each) => recordedStatement(each, since(each.startedAt), { hide: hideIn, placeIn }))
      .sort((a, b) => a.at - b.at),
    statementCount: draft.statementCount,
    calls: draft.calls
      .map((each) => recordedCall(each, since(each.startedAt), { hide: hideIn, placeIn }))
      .sort((a, b) => a.at - b.at),
    callCount: draft.callCount,
    logs: noted
      .filter(({ value }) => value.by === LOG)
      .map(({ at, value }) => recordedLog(value, since(at), hideIn)),
    error: errorIn(noted, hideIn),
  }
}

type Hide = RequestSecretTexts['hideIn']
type Since = (time: number) => number

function recordedRoute({ name, method, path }: RouteModel): RecordedRoute {
  return { name, method, path }
}

function recordedDecision({ by, verdict, reason, facts }: Decision, at: number, hide: Hide) {
  return {
    at,
    by: hide(String(by)),
    verdict: hide(String(verdict)),
    reason: reason === undefined ? null : hide(String(reason)),
    facts: plainFacts(facts, hide),
  } satisfies RecordedDecision
}

interface StatementConfig extends Pick<WriteConfig, 'placeIn'> {
  readonly hide: Hide
}

/** The maximum length of a statement. Longer statements are cut after their secrets have been hidden. */
const LONGEST_TEXT = 2000

/** Converts a statement to plain data. */
export function recordedStatement(
  statement: RanStatement,
  at: number,
  { hide, placeIn }: StatementConfig,
): RecordedStatement {
  const { system, text, values, durationMs, rowCount, tenant = null, error } = statement
  const line = text.replace(/\s+/g, ' ').trim()
  return {
    system,
    text: hide(line).slice(0, LONGEST_TEXT),
    valueCount: values.length,
    at,
    durationMs: round(durationMs),
    rowCount,
    tenant,
    error: error === undefined ? null : hide(messageOf(error)),
    place: placeIn === null ? null : placeIn(statement.stack ?? ''),
  }
}

function recordedCall(
  { method, url, status, durationMs, attempts, error, stack = '' }: RanCall,
  at: number,
  { hide, placeIn }: StatementConfig,
): RecordedCall {
  return {
    method,
    host: url.host,
    path: hide(url.pathname).slice(0, LONGEST_TEXT),
    status,
    at,
    durationMs: round(durationMs),
    attempts,
    error: error === undefined ? null : hide(messageOf(error)),
    place: placeIn === null ? null : placeIn(stack),
  }
}

function recordedLog({ verdict, reason = '' }: Decision, at: number, hide: Hide): RecordedLog {
  return { at, level: verdict, message: hide(reason) }
}

/**
 * Returns the decision that a request's input is valid. The `validate` step does not record this decision, because it
 * can be derived: if the next step runs, the input is valid.
 */
function validationIn(
  { steps, decisions }: Draft,
  route: RouteModel | undefined,
  since: Since,
): RecordedDecision[] {
  const index = steps.findIndex(({ value }) => value === 'validate')
  const next = steps[index + 1]
  const isRefused = decisions.some(({ value }) => value.by === 'validation')
  if (index < 0 || next === undefined || next.value === 'respond' || isRefused) return []
  const parts = Object.entries(route?.inputs ?? {}).filter(([, schema]) => schema !== null)
  const facts = { in: parts.map(([name]) => name) }
  return [{ at: since(next.at), by: 'validation', verdict: 'passed', reason: null, facts }]
}

function recordedSteps(
  steps: readonly Timed<StepName>[],
  since: Since,
  durationMs: number,
): RecordedStep[] {
  return steps.map(({ at, value: step }, index) => {
    const next = steps[index + 1]
    const until = next === undefined ? durationMs : since(next.at)
    return { step, at: since(at), durationMs: Math.max(0, round(until - since(at))) }
  })
}

function answererOf(steps: readonly Timed<StepName>[]): StepName | null {
  return steps.findLast(({ value }) => value !== 'respond')?.value ?? null
}

function errorIn(noted: readonly Timed<Decision>[], hide: Hide): RecordedError | null {
  const found = noted.findLast(({ value }) => value.by === ERROR)?.value
  if (found === undefined) return null
  const { status, name, stack } = found.facts ?? {}
  return {
    status: Number(status),
    code: found.verdict,
    name: String(name),
    message: hide(found.reason ?? ''),
    stack: typeof stack === 'string' ? hide(stack) : null,
  }
}

/** Returns the controller route of a request; `undefined` for an Express route or no route. */
function routeOf(req: Request): RouteModel | undefined {
  const route = req.route as RouteModel | undefined
  return route?.isEnveloped === undefined ? undefined : route
}

/**
 * Returns the request ID; `null` if it cannot be read, or if the application has set a value that is neither a string
 * nor a number.
 */
function idOf(req: Request): string | null {
  try {
    return textOf(req.id, LONGEST_REQUEST)
  } catch {
    return null
  }
}

/** The fields that identify a user without revealing personal data. */
const IDENTITIES = ['id', 'sub', '_id', 'userId', 'uid']
/** The maximum length of an ID of a user and of a request. Log lines have the same limits. */
const [LONGEST_USER, LONGEST_REQUEST] = [256, 128]

function userOf(req: Request): string | null {
  try {
    const user: unknown = req.user ?? {}
    if (typeof user !== 'object') return textOf(user, LONGEST_USER)
    const fields = user as Readonly<Record<string, unknown>>
    for (const name of IDENTITIES) {
      const id = textOf(fields[name], LONGEST_USER)
      if (id !== null) return id
    }
  } catch {
    // A getter in the application's code has thrown an error.
  }
  return null
}

function textOf(id: unknown, longest: number): string | null {
  if (typeof id !== 'string' && typeof id !== 'number' && typeof id !== 'bigint') return null
  return String(id).slice(0, longest) || null
}

/** Rounds milliseconds to three decimal places, because steps are short. */
function round(ms: number): number {
  return Math.round(ms * 1000) / 1000
}

type NotedFacts = NonNullable<Decision['facts']>

function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? String(error.message) : String(error)
  } catch {
    return 'an error that cannot be read'
  }
}

const HIDDEN = '[secret]'
const DEEPEST = 5
const MOST_ITEMS = 100
/** The maximum length of a string. Longer strings are cut after their secrets have been hidden. */
const LONGEST = 2000

/**
 * Copies the facts of a decision as plain JSON data without secrets. Applications can record facts as well, so the
 * facts may have any value.
 */
function plainFacts(facts: Decision['facts'], hide: (text: string) => string): NotedFacts {
  const copied = copy(facts ?? {}, 0)
  return typeof copied === 'object' && copied !== null && !Array.isArray(copied)
    ? (copied as NotedFacts)
    : {}

  function copy(value: unknown, depth: number): DecisionValue {
    if (typeof value === 'string') return hide(value).slice(0, LONGEST)
    if (typeof value === 'boolean' || value === null) return value
    if (typeof value === 'number') return number(value)
    if (typeof value !== 'object' || depth > DEEPEST) return hide(String(value)).slice(0, LONGEST)
    try {
      if (Array.isArray(value))
        return value.slice(0, MOST_ITEMS).map((item) => copy(item, depth + 1))
      const fields = Object.entries(value).slice(0, MOST_ITEMS)
      return Object.fromEntries(
        fields.map(([name, field]) => [
          hide(name),
          isSecretName(name) && !isFlag(field) ? HIDDEN : copy(field, depth + 1),
        ]),
      )
    } catch {
      return 'a value that cannot be read'
    }
  }

  /** Returns the number; a string if the number is not finite or is a secret. The secret is hidden in the string. */
  function number(value: number): DecisionValue {
    if (!Number.isFinite(value)) return String(value)
    const text = String(value)
    const hidden = hide(text)
    return hidden === text ? value : hidden
  }
}
