import type { Attributes } from '@opentelemetry/api'
import type { RanStatement } from '../../plugin/index.js'
import type { OpenTelemetry } from './load-api.js'
import type { SpanMaker } from './request-trace.js'

/** The facts of a statement that its text alone decides. */
interface StatementText {
  readonly name: string
  readonly attributes: Attributes
}

/** The maximum number of stored texts, because programs that put values into texts have any number of them. */
const MOST_TEXTS = 500
/** Longer texts are not stored, and only their beginning is described. */
const LONGEST_TEXT = 4096
const LONGEST_NAME = 255
/** The code of an error in the log of a database: `23505`, `ER_DUP_ENTRY`. */
const CODE = /^\w{1,64}$/

/** Creates a span for each statement inside another span. */
export class StatementSpans {
  readonly #api: OpenTelemetry
  readonly #maker: SpanMaker
  /** By database, then by text. */
  readonly #texts = new Map<string, Map<string, StatementText>>()

  constructor(api: OpenTelemetry, maker: SpanMaker) {
    this.#api = api
    this.#maker = maker
  }

  readonly note = (statement: RanStatement): void => {
    const { context, trace, SpanKind, SpanStatusCode } = this.#api
    const active = context.active()
    if (trace.getSpan(active)?.isRecording() !== true) return
    const { startedAt, durationMs, error } = statement
    const { name, attributes } = this.#textOf(statement)
    const options = { kind: SpanKind.CLIENT, attributes, startTime: startedAt }
    const span = this.#maker.tracer.startSpan(name, options, active)
    if (error !== undefined) {
      // The message of a database can contain values of rows.
      const code = codeOf(error)
      span.setStatus({ code: SpanStatusCode.ERROR })
      span.setAttribute('error.type', code ?? '_OTHER')
      if (code !== null) span.setAttribute('db.response.status_code', code)
    }
    span.end(startedAt + durationMs)
  }

  #textOf({ system, text }: RanStatement): StatementText {
    const ofSystem = this.#texts.get(system) ?? new Map<string, StatementText>()
    const known = ofSystem.get(text)
    if (known !== undefined) return known
    const described = describeText(system, text)
    if (text.length > LONGEST_TEXT) return described
    if (ofSystem.size >= MOST_TEXTS) ofSystem.clear()
    this.#texts.set(system, ofSystem.set(text, described))
    return described
  }
}

/** The conventions name the span by a summary, because a text can have several operations and tables. */
function describeText(system: string, text: string): StatementText {
  const masked = maskLiterals(text.slice(0, LONGEST_TEXT), system)
  const summary = masked === null ? null : summaryOf(masked)
  return {
    name: summary ?? system,
    attributes: {
      'db.system.name': system,
      ...(masked !== null && { 'db.query.text': masked }),
      ...(summary !== null && { 'db.query.summary': summary }),
    },
  }
}

/** The first table of a statement, unless it follows nested parentheses. */
const TABLE =
  /^(?:select (?:\([^()]*\)|(?!\bfrom\b)[^()])*\bfrom|insert into|update|delete from) (?:only )?([\w."`]+)/i

/** The operation and the table, such as `SELECT orders`, without the rest of the text, so that there are few. */
function summaryOf(text: string): string | null {
  const operation = /^\p{L}+/u.exec(text)?.[0].toUpperCase()
  if (operation === undefined) return null
  const table = TABLE.exec(text)?.[1]
  const name = table === undefined ? operation : `${operation} ${table.replace(/["`]/g, '')}`
  return name.slice(0, LONGEST_NAME)
}

function codeOf(error: unknown): string | null {
  try {
    const { code } = error as { readonly code?: unknown }
    return typeof code === 'string' && CODE.test(code) ? code : null
  } catch {
    // `null`, or a proxy that throws.
    return null
  }
}

/** The mask of a value in a text. */
const MASK = '?'

/**
 * One piece of a statement that is read as a whole: a comment, a value in quotes, a name in quotes, a placeholder, a name with
 * digits, or a number. A quote without an end takes the rest of the text.
 */
const PIECES: Readonly<Record<string, RegExp>> = {
  postgresql:
    /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|(\$(?:[a-z_]\w*)?\$)[\s\S]*?(?:\1|$)|e'(?:[^'\\]|\\[\s\S]|'')*(?:'|$)|'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|[$:@]\w+|[\p{L}_][\p{L}\p{N}_$]*|(?:\d|\.\d)[\w.]*(?:(?<=e)[+-]\d+)?/giu,
  // A backslash escapes in every text, and double quotes surround texts, too.
  mysql:
    /--[^\n]*|#[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^'\\]|\\[\s\S]|'')*(?:'|$)|"(?:[^"\\]|\\[\s\S]|"")*(?:"|$)|`[^`]*(?:`|$)|[:@]\w+|[\p{L}_][\p{L}\p{N}_$]*|(?:\d|\.\d)[\w.]*(?:(?<=e)[+-]\d+)?/giu,
}

/** Databases with the SQL dialect of another one. */
const ALIKE: Readonly<Record<string, string>> = { cockroachdb: 'postgresql', mariadb: 'mysql' }

/**
 * Returns a statement without the values that are written in it: texts and numbers become `?`, and comments are left out.
 * Names and placeholders stay.
 *
 * @param system The database, as OpenTelemetry names it.
 * @returns `null` if the text has quotes whose meaning in this database is not known here.
 */
function maskLiterals(text: string, system: string): string | null {
  const family = ALIKE[system] ?? system
  const pieces = PIECES[family]
  if (pieces === undefined && text.includes("'")) return null
  const isMysql = family === 'mysql'
  const masked = text.replace(pieces ?? (PIECES['postgresql'] as RegExp), (piece) =>
    maskOf(piece, isMysql),
  )
  return masked.replace(/\s+/g, ' ').trim()
}

function maskOf(piece: string, isMysql: boolean): string {
  if (/^(?:--|\/\*|#)/.test(piece)) return ' '
  if (piece.startsWith('"')) return isMysql ? MASK : piece
  // A placeholder `$1`, or a text `$tag$…$tag$`.
  if (/^\$(?:[a-z_]\w*)?\$/i.test(piece)) return MASK
  return /^(?:e?'|\.?\d)/i.test(piece) ? MASK : piece
}
