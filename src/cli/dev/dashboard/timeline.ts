import type { DecisionValue } from '../../../contracts/observers.js'
import type {
  RecordedCall,
  RecordedDecision,
  RecordedStatement,
  RequestRecord,
} from '../../../contracts/request-record.js'
import type { TimelineEntry, Tone } from './views.js'

const TONES: Readonly<Record<string, Tone>> = {
  admitted: 'good',
  confirmed: 'good',
  passed: 'good',
  hit: 'good',
  refused: 'bad',
}
const LEVELS: Readonly<Record<string, Tone>> = { warn: 'warn', error: 'bad', fatal: 'bad' }

/** Returns all events of a request in chronological order. */
export function timelineOf(record: RequestRecord): TimelineEntry[] {
  const entries = [
    ...record.steps.map(({ step, at, durationMs }) => entry('step', at, step, { durationMs })),
    ...record.decisions.map(ofDecision),
    ...record.statements.map((statement) => ofStatement(statement, record)),
    ...record.calls.map(ofCall),
    ...record.logs.map(({ at, level, message }) =>
      entry('log', at, level, { details: [message], tone: LEVELS[level] ?? 'plain' }),
    ),
  ]
  // Entries with equal times stay in this order: a step comes before its decision.
  entries.sort((one, other) => one.at - other.at)
  return [...entries, ...ofError(record), endOf(record)]
}

type Rest = Partial<Omit<TimelineEntry, 'at' | 'kind' | 'title'>>

function entry(kind: TimelineEntry['kind'], at: number, title: string, rest: Rest): TimelineEntry {
  return { at, durationMs: null, kind, title, details: [], code: null, tone: 'plain', ...rest }
}

function ofDecision({ at, by, verdict, reason, facts }: RecordedDecision): TimelineEntry {
  const details = [...(reason === null ? [] : [reason]), ...factLines(facts)]
  return entry('decision', at, `${by}: ${verdict}`, { details, tone: TONES[verdict] ?? 'plain' })
}

/**
 * Returns facts as lines. Short facts share a line. Each object in a list gets its own line: `body.name: Too short`.
 */
function factLines(facts: RecordedDecision['facts']): string[] {
  const [short, rows]: [string[], string[]] = [[], []]
  for (const [name, value] of Object.entries(facts)) {
    if (value === null) continue
    if (isRows(value)) rows.push(...value.map((row) => rowText(name, row)).filter(Boolean))
    else short.push(`${name} ${plain(value)}`)
  }
  return [...(short.length === 0 ? [] : [short.join(', ')]), ...rows]
}

/** Returns a short description of a row in one of the framework's own decisions. */
function rowText(name: string, row: DecisionValue): string {
  const fields = Object(row) as Readonly<Record<string, DecisionValue | undefined>>
  const { scheme, verdict, reason, path, message } = fields
  if (name === 'schemes') {
    // For a single guard (`auth.guard`), `scheme` is `null`, and the decision itself contains the verdict.
    return scheme === null ? '' : [scheme, verdict, reason].filter(Boolean).join(': ')
  }
  if (name === 'issues') return `${[fields['in'], path].filter(Boolean).join('.')}: ${message}`
  return `${name}: ${plain(row)}`
}

function isRows(value: DecisionValue): value is readonly DecisionValue[] {
  return Array.isArray(value) && value.some((item) => typeof item === 'object')
}

function plain(value: DecisionValue): string {
  if (Array.isArray(value)) return value.map(plain).join(', ')
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .filter(([, each]) => each !== null)
    .map(([name, each]) => `${name} ${plain(each)}`)
    .join(', ')
}

function ofStatement(statement: RecordedStatement, record: RequestRecord): TimelineEntry {
  const { system, text, valueCount, at, durationMs, rowCount, tenant, error, place } = statement
  const isOfOther = tenant !== record.tenant
  const facts = [
    tenant === null ? 'no tenant' : `tenant ${tenant}`,
    ...(rowCount === null ? [] : [count(rowCount, 'row')]),
    ...(valueCount === 0 ? [] : [count(valueCount, 'value')]),
  ]
  const details = [
    facts.join(', '),
    ...(isOfOther && tenant !== null ? ['The tenant differs from the tenant of the request.'] : []),
    ...(place === null ? [] : [place]),
    ...(error === null ? [] : [error]),
  ]
  const tone = error !== null ? 'bad' : isOfOther && tenant !== null ? 'warn' : 'plain'
  return entry('statement', at, system, { durationMs, details, code: text, tone })
}

function ofCall(call: RecordedCall): TimelineEntry {
  const { method, host, path, status, at, durationMs, attempts, error, place } = call
  const details = [
    ...(status === null ? [] : [`status ${status}`]),
    ...(attempts > 1 ? [`sent ${attempts} times`] : []),
    ...(place === null ? [] : [place]),
    ...(error === null ? [] : [error]),
  ]
  const tone = error !== null || (status ?? 500) >= 500 ? 'bad' : 'plain'
  return entry('call', at, `${method} ${host}${path}`, { durationMs, details, tone })
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

function ofError({ error, durationMs }: RequestRecord): TimelineEntry[] {
  if (error === null) return []
  const { name, message, stack } = error
  return [entry('error', durationMs, name, { details: [message], code: stack, tone: 'bad' })]
}

function endOf({ durationMs, status, outcome, cause }: RequestRecord): TimelineEntry {
  const endings = {
    sent: `${status ?? 'no status'}`,
    aborted: 'the client disconnected',
    timeout: 'the time limit was reached',
  }
  const isFailure = (outcome ?? 'sent') !== 'sent' || (status ?? 500) >= 500
  const tone: Tone = isFailure ? 'bad' : (status ?? 500) >= 400 ? 'warn' : 'good'
  // The command receives a record only after the request has ended, so `outcome` is not `null`.
  const title = endings[outcome ?? 'sent']
  return entry('end', durationMs, title, { details: [`by ${cause}`], tone })
}
