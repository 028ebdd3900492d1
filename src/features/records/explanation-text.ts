import type {
  RecordedDecision,
  RecordedStatement,
  RequestRecord,
} from '../../contracts/request-record.js'

/** How many statements and log lines the text shows. */
const MOST_LINES = 10
const LONGEST = 160

/** Writes a record as text: what has decided the response first, in lines of a name and what it has decided. */
export function explanationText(record: RequestRecord): string {
  const { method, url, status, route, error, decisions, statements, logs } = record
  const head = `${method} ${url} → ${status ?? 'no response'}${answerer(record)}`
  const rows = [
    ['route', route === null ? 'none has this path and method' : routeText(route)],
    ...decisions.map((each) => [each.by, decisionText(each)]),
    ...(error === null ? [] : [['error', `${error.code}: ${error.name}: ${error.message}`]]),
    ...(statements.length === 0 ? [] : [['statements', statementSummary(record)]]),
    ...statements.slice(0, MOST_LINES).map((each) => ['', statementText(each)]),
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

function decisionText({ by, verdict, reason, facts }: RecordedDecision): string {
  const why = reason === null ? '' : `: ${reason}`
  const more = by === 'guard' ? schemesText(facts) : factsText(facts)
  return `${verdict}${why}${more === '' ? '' : ` (${more})`}`
}

interface Scheme {
  readonly scheme: string | null
  readonly verdict: string
}

function schemesText({ schemes }: RecordedDecision['facts']): string {
  // The framework notes this list; other code may note anything.
  const list = Array.isArray(schemes) ? (schemes as readonly Scheme[]) : []
  return list
    .filter(({ scheme }) => scheme !== null)
    .map(({ scheme, verdict }) => `'${scheme}' ${verdict}`)
    .join(', ')
}

function factsText(facts: RecordedDecision['facts']): string {
  return Object.entries(facts)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
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

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ')
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line
}
