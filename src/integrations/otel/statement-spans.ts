import type { Attributes } from '@opentelemetry/api'
import type { RanStatement } from '../../plugin/index.js'
import type { OpenTelemetry } from './load-api.js'
import type { SpanMaker } from './request-trace.js'

/** Information about a statement that depends only on its text. */
interface StatementText {
  readonly name: string
  readonly attributes: Attributes
}

/**
 * The maximum number of stored statements. It is limited, because a program can write values into its statements, so
 * that every statement differs.
 */
const MOST_TEXTS = 500
/** The maximum length of a stored statement. Only the beginning of a longer statement is described. */
const LONGEST_TEXT = 4096
const LONGEST_NAME = 255
/** A database error code, such as `23505` or `ER_DUP_ENTRY`. */
const CODE = /^\w{1,64}$/

/** Creates a span for each statement that runs while another span is active and recorded. */
export class StatementSpans {
  readonly #api: OpenTelemetry
  readonly #maker: SpanMaker
  /** The information about statements, by database, then by text. */
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
      // The database's message can contain row values, so only the code is used.
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

/**
 * Describes a statement. According to the conventions, the span is named after a summary, because a statement can have
 * several operations and tables.
 */
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

/** Matches the first table of a statement, unless it follows nested parentheses. */
const TABLE =
  /^(?:select (?:\([^()]*\)|(?!\bfrom\b)[^()])*\bfrom|insert into|update|delete from) (?:only )?([\w."`]+)/i

/**
 * Returns the operation and the table, such as `SELECT orders`. The rest of the statement is omitted to limit the
 * number of different summaries.
 */
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
    // The error is `null`, or a proxy that throws.
    return null
  }
}

const MASK = '?'

/**
 * Matches one token of a statement: a comment, a quoted value, a quoted name, a placeholder, a name with digits, or a
 * number. An unclosed quote extends to the end of the statement.
 */
const PIECES: Readonly<Record<string, RegExp>> = {
  postgresql:
    /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|(\$(?:[a-z_]\w*)?\$)[\s\S]*?(?:\1|$)|e'(?:[^'\\]|\\[\s\S]|'')*(?:'|$)|'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|[$:@]\w+|[\p{L}_][\p{L}\p{N}_$]*|(?:\d|\.\d)[\w.]*(?:(?<=e)[+-]\d+)?/giu,
  // A backslash escapes a character in any string, and strings can also have double quotes.
  mysql:
    /--[^\n]*|#[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^'\\]|\\[\s\S]|'')*(?:'|$)|"(?:[^"\\]|\\[\s\S]|"")*(?:"|$)|`[^`]*(?:`|$)|[:@]\w+|[\p{L}_][\p{L}\p{N}_$]*|(?:\d|\.\d)[\w.]*(?:(?<=e)[+-]\d+)?/giu,
}

/** Databases that use the SQL dialect of another database. */
const ALIKE: Readonly<Record<string, string>> = { cockroachdb: 'postgresql', mariadb: 'mysql' }

/**
 * Removes the literal values from a statement: strings and numbers become `?`, and comments are removed. Names and
 * placeholders are kept.
 *
 * @param system The database's name in OpenTelemetry.
 * @returns `null` if the statement has quotes whose meaning in this database is unknown.
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
  // `$1` is a placeholder, but `$tag$…$tag$` is a string.
  if (/^\$(?:[a-z_]\w*)?\$/i.test(piece)) return MASK
  return /^(?:e?'|\.?\d)/i.test(piece) ? MASK : piece
}
