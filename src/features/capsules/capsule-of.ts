import type {
  Capsule,
  CapsuleResponse,
  CapsuleStatement,
  PlainValue,
} from '../../contracts/capsule.js'
import type { Request } from '../../contracts/handler.js'
import type { RanStatement, StatementFailure } from '../../contracts/statement.js'
import { type SentBody, sentHeaders } from '../../http/sent-body.js'
import type { FailedRequest } from './failed-request.js'
import { FoundSecrets, hideInQuery } from './found-secrets.js'
import { PlainValues, TooLargeError } from './plain-value.js'
import { requestSent, SECRET_NAME, UNREAD } from './request-sent.js'

/** How many characters the values of a capsule may have together. */
const MOST_CHARACTERS = 1_000_000
/** How many rows of a statement a capsule has. */
export const MOST_ROWS = 1000
const HIDDEN = '[secret]'
const LITERAL = /'(?:[^']|'')*'/g

/** What a capsule is written with, besides the request. */
export interface CapsuleConfig {
  readonly id: string
  readonly application: string | null
  /** The bytes of the response; `undefined` if they were not followed. */
  readonly body: SentBody | undefined
}

/** Writes the capsule of a request that the server has failed. */
export function capsuleOf(failed: FailedRequest, config: CapsuleConfig): Capsule {
  const { record, ended, secrets } = failed
  const req = ended.req as Request
  const { found, areInputsSearched } = findSecrets(failed, req)
  const hide = (text: string) => found.hideIn(secrets.hideIn(text))
  const hidden = new Set<string>()
  const onHidden = (name: string) => void hidden.add(name)
  const isSecret = (name: string) => SECRET_NAME.test(name)
  const all = new PlainValues({ hide, isSecret, onHidden }, MOST_CHARACTERS)
  const noNames = { hide, isSecret: () => false, onHidden }
  const shown = new PlainValues(noNames, MOST_CHARACTERS)
  const whole = requestSent(req, { ...secrets, hideIn: hide })
  const sent = areInputsSearched ? whole : { ...whole, body: null, omitted: UNSEARCHED }
  for (const [name, value] of sent.headers) if (value.includes(HIDDEN)) hidden.add(name)
  if (sent.body?.includes(HIDDEN)) hidden.add('body')
  const url = hideInQuery(record.url)
  if (url.includes(HIDDEN)) hidden.add('url')
  const cut = sent.omitted === null || sent.omitted === UNREAD ? [] : [sent.omitted]
  const capsule: Capsule = {
    format: 1,
    id: config.id,
    application: config.application,
    // It is JSON already, so it stays one; what its fields are called is no secret.
    record: shown.of({
      ...record,
      url,
      statements: record.statements.map(withoutLiterals),
    }) as unknown as Capsule['record'],
    sent,
    principal: attempt(() => all.of(req.user ?? null), 'The user is too large.', cut),
    statements: statementsOf(failed, { values: all, hide }, cut),
    response: responseOf(failed, config.body, hide),
    cut,
    hidden: [...hidden],
  }
  return found.isIncomplete ? withoutUnsearched(capsule, areInputsSearched) : capsule
}

/** Why a text is missing. */
const UNSEARCHED = 'Left out: there is too much to search for secrets.'
const NO_STATEMENTS = 'The rows of its statements are too large.'

/** Leaves out every text in which a secret might be that was not found: of a row, or of the user. */
function withoutUnsearched(capsule: Capsule, areInputsSearched: boolean): Capsule {
  const { record, response, principal } = capsule
  const { error, decisions } = record
  return {
    ...capsule,
    record: {
      ...record,
      // The others may have texts of the application.
      decisions: decisions.filter(({ by }) => by === 'tenant'),
      statements: [],
      logs: [],
      error: error && { ...error, message: UNSEARCHED, stack: null },
    },
    principal: areInputsSearched ? principal : null,
    statements: [],
    response: { ...response, headers: {}, body: null },
    cut: [NO_STATEMENTS, ...capsule.cut.filter((each) => !/statement/.test(each))],
  }
}

interface Search {
  readonly found: FoundSecrets
  /** Whether the request and its user were searched completely. */
  readonly areInputsSearched: boolean
}

function findSecrets({ ended, statements }: FailedRequest, req: Request): Search {
  const { headers, originalUrl } = req
  const found = new FoundSecrets(originalUrl)
  found.search({ ...headers, cookie: null })
  found.search([req.params, req.body, req.user, req.query])
  const areInputsSearched = !found.isIncomplete
  for (const { text, values, rows } of statements) {
    found.search(rows)
    if (SECRET_NAME.test(text)) found.searchValues([...values, ...literalsIn(text)])
  }
  if (ended.res !== null) found.search(ended.res.getHeaders())
  return { found, areInputsSearched }
}

/** The contents of the literals of a statement. */
function literalsIn(text: string): string[] {
  return (text.match(LITERAL) ?? []).map((each) => each.slice(1, -1))
}

function withoutLiterals<T extends { readonly text: string }>(statement: T): T {
  return { ...statement, text: shownText(statement.text) }
}

/** The text of a statement. One with the name of a secret is shown without its literals. */
function shownText(text: string): string {
  return SECRET_NAME.test(text) ? text.replace(LITERAL, `'${HIDDEN}'`) : text
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
    cut.push(`It has ${statements.length} of ${statementCount} statements.`)
  }
  const ordered = [...statements].sort((a, b) => a.startedAt - b.startedAt)
  return ordered.map((each) => statementOf(each, config, cut))
}

function statementOf(
  statement: RanStatement,
  { values: plain, hide }: StatementConfig,
  cut: string[],
): CapsuleStatement {
  const { system, text, values, rows, rowCount, error } = statement
  // Which value belongs to which name, only a parser of the dialect knows.
  const isSecret = SECRET_NAME.test(text)
  const isCut = rows !== null && rows.length === MOST_ROWS && (rowCount ?? 0) > MOST_ROWS
  const large = `The rows of a statement are too large: ${hide(text).slice(0, 80)}`
  if (isCut) cut.push(large)
  return {
    system,
    text: hide(shownText(text)),
    values: isSecret ? values.map(() => HIDDEN) : attempt(() => plain.of(values), null, cut),
    rowCount,
    rows: rows === null || isCut ? null : attempt(() => plain.of(rows), large, cut),
    error: error === undefined ? null : failureOf(error, hide),
  }
}

/** Returns a plain value; `null` for one that is too large. Values only choose between equal texts, so none is missed. */
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

/** The fields of an error that code depends on. A library may have wrapped the error of the database. */
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

function responseOf(
  { ended: { res, status } }: FailedRequest,
  body: SentBody | undefined,
  hide: (text: string) => string,
): CapsuleResponse {
  if (res === null) return { status, headers: {}, body: null }
  const headers = sentHeaders(res)
  const shown = Object.entries(headers).map(([name, value]) => [
    name,
    SECRET_NAME.test(name) ? HIDDEN : hide(String(value)),
  ])
  const isText = /^(?:text\/|application\/(?:[\w.-]+\+)?json)/i.test(headers['content-type'] ?? '')
  const isKept =
    isText && body !== undefined && !body.isTooLong && headers['content-encoding'] === undefined
  return {
    status,
    headers: Object.fromEntries(shown),
    body: isKept ? hideInBody(body.bytes.toString(), hide) : null,
  }
}

/** A JSON body may have fields with the names of secrets. */
function hideInBody(text: string, hide: (text: string) => string): string {
  try {
    const config = { hide, isSecret: (name: string) => SECRET_NAME.test(name), onHidden() {} }
    return JSON.stringify(new PlainValues(config, MOST_CHARACTERS).of(JSON.parse(text)))
  } catch {
    return hide(text)
  }
}
