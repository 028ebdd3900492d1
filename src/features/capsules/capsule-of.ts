import type { Capsule, CapsuleCall, CapsuleStatement, PlainValue } from '../../contracts/capsule.js'
import type { RanStatement, StatementFailure } from '../../contracts/database.js'
import type { Request } from '../../contracts/handler.js'
import type { EndedRequest } from '../../contracts/observers.js'
import type { RanCall } from '../../contracts/outgoing-call.js'
import type { RequestRecord } from '../../contracts/request-record.js'
import { isSecretName } from '../../schema/secret-name.js'
import { FoundSecrets, PlainValues, TooLargeError } from './plain-value.js'
import {
  bodyOf,
  bodyValueOf,
  HAS_SECRETS,
  headerText,
  hideInQuery,
  type ReceivedBody,
  requestSent,
} from './received-bodies.js'

/** The maximum total number of characters of all values in a capsule. */
const MOST_CHARACTERS = 1_000_000
/** The maximum number of rows that are stored for each statement. */
export const MOST_ROWS = 1000
const HIDDEN = '[secret]'
const LITERAL = /'(?:[^']|'')*'/g

/** A request that failed on the server, with all data that was recorded for it. */
export interface FailedRequest {
  readonly record: RequestRecord
  readonly ended: EndedRequest
  /** The stored statements, in the order in which they ended. */
  readonly statements: readonly RanStatement[]
  /** The stored calls, in the order in which they ended. */
  readonly calls: readonly RanCall[]
}

/** The data for a capsule, besides the request. */
export interface CapsuleConfig extends Pick<Capsule, 'id'> {
  readonly received: ReceivedBody
  /** Hides credentials, cookies, and values that a schema marks as secret. */
  readonly hideIn: (text: string) => string
}

/**
 * Builds the capsule of a request that failed on the server.
 *
 * @throws Error if the record is too large, or if there is too much data to search for secrets.
 */
export function capsuleOf(failed: FailedRequest, config: CapsuleConfig): Capsule {
  const { record, ended } = failed
  const { id, received } = config
  const req = ended.req as Request
  const found = findSecrets(failed, req, received)
  const hide = (text: string) => found.hideIn(config.hideIn(text))
  const hidden = new Set<string>()
  const onHidden = (name: string) => void hidden.add(name)
  const values = new PlainValues({ hide, isSecret: isSecretName, onHidden }, MOST_CHARACTERS)
  const shown = new PlainValues({ hide, isSecret: () => false, onHidden }, MOST_CHARACTERS)
  const sent = requestSent(req, { received, hide, most: Number.POSITIVE_INFINITY })
  const url = hideInQuery(record.url, hide)
  const parts = [['url', url], ['body', sent.body ?? ''], ...sent.headers] as const
  for (const [name, text] of parts) if (text.includes(HIDDEN)) hidden.add(name)
  const cut = received.isMissed || sent.omitted === HAS_SECRETS ? [String(sent.omitted)] : []
  return {
    format: 2,
    id,
    // The record is already plain JSON data, so its copy has the same type. Its field names never indicate secrets.
    record: shown.of({
      ...record,
      url,
      statements: record.statements.map((each) => ({ ...each, text: shownText(each.text) })),
    }) as unknown as Capsule['record'],
    sent,
    principal: attempt(() => values.of(req.user ?? null), 'The user is too large.', cut),
    statements: statementsOf(failed, { values, hide }, cut),
    calls: callsOf(failed, hide, cut),
    cut,
    hidden: [...hidden],
  }
}

function findSecrets(
  { ended, statements, calls }: FailedRequest,
  req: Request,
  received: ReceivedBody,
) {
  const { headers, originalUrl, params, body, user, query } = req
  const found = new FoundSecrets(originalUrl)
  found.search({ ...headers, cookie: null })
  found.search([params, body, bodyValueOf(received, req), user, query])
  for (const { text, values, rows } of statements) {
    found.search(rows)
    // The contents of the literals in the statement are also values.
    const literals = (text.match(LITERAL) ?? []).map((each) => each.slice(1, -1))
    if (isSecretName(text)) found.searchValues([...values, ...literals])
  }
  searchCalls(calls, found)
  if (ended.res !== null) found.search(ended.res.getHeaders())
  if (found.isIncomplete) throw new Error('The data is too large to search for secrets.')
  return found
}

/** Returns the SQL of a statement, without its literals if the SQL contains the name of a secret. */
function shownText(text: string): string {
  return isSecretName(text) ? text.replace(LITERAL, `'${HIDDEN}'`) : text
}

interface StatementConfig {
  readonly values: PlainValues
  readonly hide: (text: string) => string
}

function statementsOf(
  { statements, record: { statementCount } }: FailedRequest,
  config: StatementConfig,
  cut: string[],
): CapsuleStatement[] {
  if (statementCount > statements.length) {
    cut.push(`The capsule contains only ${statements.length} of ${statementCount} statements.`)
  }
  const ordered = [...statements].sort((a, b) => a.startedAt - b.startedAt)
  return ordered.map((each) => statementOf(each, config, cut))
}

function statementOf(
  { system, text, values, rows, rowCount, error }: RanStatement,
  { values: plain, hide }: StatementConfig,
  cut: string[],
): CapsuleStatement {
  const isCut = rows !== null && rows.length === MOST_ROWS && (rowCount ?? 0) > MOST_ROWS
  const large = `The rows of a statement are too large: ${hide(text).slice(0, 80)}`
  if (isCut) cut.push(large)
  return {
    system,
    text: hide(shownText(text)),
    // Only a parser for the SQL dialect could determine which value belongs to which name, so all values are hidden.
    values: isSecretName(text)
      ? values.map(() => HIDDEN)
      : attempt(() => plain.of(values), null, cut),
    rowCount,
    rows: rows === null || isCut ? null : attempt(() => plain.of(rows), large, cut),
    error: error === undefined ? null : failureOf(error, hide),
  }
}

/**
 * Returns the plain value that `run` returns. If the value is too large or cannot be read, returns `null` and adds a
 * sentence to `cut`, unless `why` is `null`. It is `null` for the values of a statement. These are only needed to
 * distinguish statements with the same SQL, so missing values are acceptable.
 */
function attempt(run: () => PlainValue, why: string | null, cut: string[]): PlainValue {
  try {
    return run()
  } catch (error) {
    if (why !== null) {
      cut.push(error instanceof TooLargeError ? why : 'A value could not be read.')
    }
    return null
  }
}

const FIELDS = ['code', 'constraint', 'schema', 'table', 'column', 'detail', 'hint'] as const

/**
 * Returns the error fields that code commonly reads. The error may come from the database, or from a library that has
 * wrapped the database error.
 */
function failureOf(error: unknown, hide: (text: string) => string): StatementFailure {
  const { message, status, ...fields } = Object(error) as Record<string, unknown>
  const found = FIELDS.flatMap((name) => {
    const value = fields[name]
    return typeof value === 'string' ? [[name, hide(value)] as const] : []
  })
  return {
    message: hide(String(message ?? error)),
    ...(typeof status === 'number' ? { status } : {}),
    ...Object.fromEntries(found),
  }
}

interface FailedCalls {
  readonly record: Pick<RequestRecord, 'callCount'>
  /** The stored calls, in the order in which they ended. */
  readonly calls: readonly RanCall[]
}

type Hide = (text: string) => string

/** Finds the secrets in calls by header name and field name. */
function searchCalls(calls: readonly RanCall[], found: FoundSecrets): void {
  for (const { url, headers, kept } of calls) {
    found.search(Object.fromEntries(headers))
    found.search(Object.fromEntries(url.searchParams))
    if (kept === null) continue
    found.search(Object.fromEntries(kept.headers))
    for (const text of [kept.sent ?? '', Buffer.from(kept.received().bytes).toString()]) {
      try {
        found.search(JSON.parse(text))
      } catch {
        // The body is not JSON.
      }
    }
  }
}

/**
 * Builds the outgoing calls of a request, with the responses of the hosts.
 *
 * @param cut Receives a sentence for each response that is not completely recorded.
 */
function callsOf(failed: FailedCalls, hide: Hide, cut: string[]): CapsuleCall[] {
  const { calls, record } = failed
  if (record.callCount > calls.length) {
    cut.push(
      `The capsule contains only ${calls.length} of ${record.callCount} calls to other hosts.`,
    )
  }
  const ordered = [...calls].sort((a, b) => a.startedAt - b.startedAt)
  return ordered.map((each) => callOf(each, hide, cut))
}

/** Headers that describe the connection, or a content coding that `fetch` has already decoded. */
const OF_THE_CONNECTION =
  /^(?:connection|keep-alive|transfer-encoding|content-length|content-encoding|trailer)$/

function callOf(
  { method, url, status, error, kept }: RanCall,
  hide: Hide,
  cut: string[],
): CapsuleCall {
  const shownUrl = hide(hideInQuery(url.href, hide))
  const { bytes = new Uint8Array(), isWhole = false } = kept?.received() ?? {}
  const headers = (kept?.headers ?? []).filter(([name]) => !OF_THE_CONNECTION.test(name))
  const type = headers.find(([name]) => name === 'content-type')?.[1] ?? ''
  const answer = bodyOf(Buffer.from(bytes), type, hide)
  const isMissed = !isWhole || (answer.body === null && answer.base64 === undefined)
  if (error === undefined && isMissed) {
    cut.push(`The response to a call is incomplete: ${method} ${shownUrl.slice(0, 80)}`)
  }
  const sent = kept?.sent ?? null
  return {
    method,
    url: shownUrl,
    sent: sent === null ? null : (bodyOf(Buffer.from(sent), typeOf(sent), hide).body ?? null),
    status,
    headers: headers.map(([name, value]) => [name, headerText(name, value, hide)]),
    body: answer.body,
    ...(answer.base64 !== undefined && { base64: answer.base64 }),
    error: error === undefined ? null : hide(messageOf(error)),
  }
}

/** Returns the media type of a string. It is needed because secrets in JSON are found by field name. */
function typeOf(text: string): string {
  return /^\s*[[{]/.test(text) ? 'application/json' : ''
}

/** Returns an error's message. For a `fetch` error, the reason is in its cause. */
function messageOf(error: unknown): string {
  const { message, cause } = Object(error) as { message?: unknown; cause?: { message?: unknown } }
  return String(cause?.message ?? message ?? error)
}
