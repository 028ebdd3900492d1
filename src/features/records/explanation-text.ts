import type { DecisionValue } from '../../contracts/observers.js'
import type {
  RecordedCall,
  RecordedDecision,
  RecordedStatement,
  RequestRecord,
} from '../../contracts/request-record.js'

/** The maximum number of statements, calls and log lines in the text. */
const MOST_LINES = 10
const LONGEST = 160

/** Returns a record as text. The response comes first, then the route and the decisions that led to the response. */
export function explanationText(record: RequestRecord): string {
  const { method, url, status, route, error, decisions, statements, calls, logs } = record
  const head = `${method} ${url} → ${status ?? 'no response'}${answerer(record)}`
  const rows = [
    ['route', route === null ? 'no controller route handled the request' : routeText(route)],
    ...decisions.flatMap(rowsOf),
    ...(error === null ? [] : [['error', `${error.code}: ${error.name}: ${error.message}`]]),
    ...(statements.length === 0 ? [] : [['statements', statementSummary(record)]]),
    ...statements.slice(0, MOST_LINES).map((each) => ['', statementText(each)]),
    ...calls.slice(0, MOST_LINES).map((each) => ['call', callText(each)]),
    ...logs.slice(-MOST_LINES).map(({ level, message }) => ['log', `${level}: ${message}`]),
  ] as [string, string][]
  const width = Math.max(...rows.map(([name]) => name.length))
  const lines = rows.map(([name, text]) => `  ${name.padEnd(width)}  ${shortened(text)}`)
  return [head, ...lines].join('\n')
}

function answerer({ answeredBy, cause, durationMs }: RequestRecord): string {
  const who = answeredBy === null ? cause : `step '${answeredBy}'`
  return `${who === null ? '' : `, by the ${who}`} in ${durationMs} ms`
}

function routeText({ name, method, path }: NonNullable<RequestRecord['route']>): string {
  return `${name} (${method} ${path})`
}

/** Returns the rows of a decision. A guard decision has a row for each guard that was tried. */
function rowsOf(decision: RecordedDecision): [string, string][] {
  const { by, verdict, reason, facts } = decision
  const { schemes } = facts
  if (by !== 'guard' || !Array.isArray(schemes) || schemes.length === 0) {
    const why = reason === null ? '' : `: ${reason}`
    return [[by, `${verdict}${why}${(TEXTS[by] ?? factsText)(facts)}`]]
  }
  return schemes.map((each) => {
    const { scheme, verdict: own, reason: why = null } = Object(each) as Scheme
    return [scheme == null ? by : `${by} '${scheme}'`, `${own}${why === null ? '' : `: ${why}`}`]
  })
}

interface Scheme {
  readonly scheme: string | null
  readonly verdict: string
  readonly reason?: string | null
}

type DecisionFacts = RecordedDecision['facts']

/**
 * The functions that describe the facts of the framework's decisions. An application may record other facts under the
 * same names.
 */
const TEXTS: Readonly<Record<string, (facts: DecisionFacts) => string>> = {
  guard: () => '',
  tenant: ({ tenant, source }) => (tenant === undefined ? '' : ` '${tenant}' by ${source}`),
  can: ({ abilities }) => `, the route needs ${listText(abilities)}`,
  limit: ({ policy, limit, remaining }) =>
    `: ${remaining} of ${limit} requests left (policy '${policy}')`,
  cache: ({ key, ageSeconds }) =>
    `${key === undefined ? '' : `: ${key}`}${ageSeconds === undefined ? '' : `, ${ageSeconds} s old`}`,
  validation: ({ in: parts, issues }) =>
    Array.isArray(issues) ? `: ${issues.map(issueText).join('; ')}` : `: ${listText(parts)}`,
}

function listText(values: DecisionValue | undefined): string {
  return Array.isArray(values) ? values.join(', ') : ''
}

function issueText(issue: DecisionValue): string {
  const { in: place, path, message } = Object(issue) as Readonly<Record<string, string>>
  return `${place}${path === '' ? '' : `.${path}`} ${message}`
}

function factsText(facts: DecisionFacts): string {
  const fields = Object.entries(facts).map(
    ([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  return fields.length === 0 ? '' : ` (${fields.join(', ')})`
}

function statementSummary({ statements, statementCount }: RequestRecord): string {
  const ms = statements.reduce((sum, { durationMs }) => sum + durationMs, 0)
  return `${statementCount} in ${Math.round(ms * 100) / 100} ms`
}

function statementText({ text, durationMs, tenant, error, place }: RecordedStatement): string {
  const whose = tenant === null ? '' : ` for ${tenant}`
  const failed = error === null ? '' : ` failed: ${error}`
  return `${durationMs} ms${whose}${place === null ? '' : ` at ${place}`}${failed}  ${text}`
}

function callText({
  method,
  host,
  path,
  status,
  durationMs,
  attempts,
  error,
  place,
}: RecordedCall) {
  const result = error === null ? status : `failed: ${error}`
  const again = attempts > 1 ? `, sent ${attempts} times` : ''
  return `${method} ${host}${path} → ${result} in ${durationMs} ms${again}${place === null ? '' : ` at ${place}`}`
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ')
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line
}
