import type { Representation } from '../contracts/representation.js'
import { type OptionNames, refuseUnknown } from '../errors/option-group.js'
import { changeItems, isAsyncIterable } from './async-iterable.js'

/** Options of `csv`. */
export interface CsvOptions {
  /**
   * The keys that become columns, in this order. Set this option if clients choose the keys of rows. Default: the keys
   * of all rows, in the order in which they first appear.
   */
  readonly columns?: readonly string[]
  /**
   * How to write strings that a spreadsheet would run as a formula because they begin with `=`, `+`, `-`, `@`, a tab or
   * a line break. A spreadsheet that uses `;` or a tab as a separator also splits strings at this character and at line
   * breaks, so a formula can also begin there. `'escape'`: an apostrophe is inserted before the beginning of each
   * formula. `'keep'`: strings are not changed. Use it for files that only programs read. Numbers are never changed.
   * Default `'escape'`.
   */
  readonly formulas?: 'escape' | 'keep'
}

const NAMES: OptionNames<CsvOptions> = { columns: true, formulas: true }

/**
 * Creates a `text/csv` representation (RFC 4180) of a list of objects, for `@Produces`. The first line contains the
 * column names. If the handler returns an async iterable, its rows are streamed with backpressure; without `columns`,
 * the columns are the keys of the first row. A date is written as its ISO string, an object as its JSON, and `null` or
 * a missing value as an empty field.
 *
 * @param options The columns, and how to write formulas. By default, all keys are written and formulas are escaped.
 * @throws TypeError if the data is not a list of objects. The error is thrown when the response is sent, and results in
 * a 500 response. Without `columns`, it is also thrown if the keys of the rows differ so much that more than 100,000
 * fields, and more than nine of ten fields, are empty.
 * @example
 * @Produces('application/json', csv({ columns: ['id', 'total'] }))
 * @Get('export')
 * export() { return orders.all() }
 */
export function csv(options: CsvOptions = {}): Representation {
  refuseUnknown('csv()', options, NAMES)
  const { columns, formulas = 'escape' } = options
  const field = (value: unknown) => {
    if (value === undefined || value === null) return ''
    // A number never needs quotes, and a spreadsheet never runs it as a formula.
    if (typeof value === 'number') return String(value)
    return quoted(formulas === 'keep' ? textOf(value) : harmless(value))
  }
  const line = (keys: readonly string[], row?: Row) => {
    if (keys.length === 0) return ''
    let text = ''
    for (let at = 0; at < keys.length; at++) {
      const key = keys[at] as string
      text += `${at === 0 ? '' : ','}${field(row === undefined ? key : own(row, key))}`
    }
    return `${text}\r\n`
  }
  const made: Representation = {
    type: 'text/csv',
    serialize(data: unknown) {
      if (isAsyncIterable(data)) return linesOf(data, { columns, line })
      const rows = rowsOf(data)
      const keys = columns ?? keysOf(rows)
      return line(keys) + rows.map((row) => line(keys, row)).join('')
    },
  }
  known.add(made)
  return made
}

const known = new WeakSet<object>()

/** Whether {@link csv} created a representation. */
export function isCsv(representation: object): boolean {
  return known.has(representation)
}

interface Lines {
  readonly columns: readonly string[] | undefined
  /** Writes a row. If the row is omitted, writes the column names. */
  readonly line: (keys: readonly string[], row?: Row) => string
}

/** Returns the lines for streamed rows. Later rows cannot add columns, because the first line has already been sent. */
function linesOf(rows: AsyncIterable<unknown>, { columns, line }: Lines): AsyncIterable<string> {
  let keys = columns
  let head = columns === undefined ? '' : line(columns)
  let [fields, values] = [0, 0]
  return changeItems(rows, {
    change(each) {
      const row = rowOf(each)
      const own = columns ?? Object.keys(row)
      if (keys === undefined) {
        keys = own
        head = line(own)
      }
      if (columns === undefined) {
        fields += keys.length
        values += own.length
        refuseEmpty(fields, values)
      }
      const text = head + line(keys, row)
      head = ''
      return text
    },
    last: () => head,
  })
}

type Row = Readonly<Record<string, unknown>>

function keysOf(rows: readonly Row[]): readonly string[] {
  const all = rows.flatMap((row) => Object.keys(row))
  const keys = [...new Set(all)]
  refuseEmpty(rows.length * keys.length, all.length)
  return keys
}

/**
 * The number of fields that is always allowed, and the number of further fields that is allowed for each field with a
 * value. Both numbers include empty fields.
 */
const MOST_EMPTY = 100_000
const EMPTY_PER_VALUE = 10

/**
 * Throws if too many fields would be empty. If a client chooses the keys, they can differ in each row, so the number of
 * fields can be quadratic in the size of the client's data.
 */
function refuseEmpty(fields: number, values: number): void {
  if (fields <= MOST_EMPTY + EMPTY_PER_VALUE * values) return
  throw new TypeError(
    'text/csv would have too many empty fields, because the keys of the rows differ. Specify its columns: csv({ columns: […] }).',
  )
}

function rowsOf(data: unknown): readonly Row[] {
  if (!Array.isArray(data))
    throw new TypeError(`text/csv needs a list of objects, but received ${kindOf(data)}.`)
  return data.map(rowOf)
}

function rowOf(row: unknown): Row {
  const plain = plainOf(row)
  if (typeof plain === 'object' && plain !== null && !Array.isArray(plain)) return plain as Row
  throw new TypeError(`text/csv needs a list of objects, but one of its items is ${kindOf(plain)}.`)
}

/** Some database packages return rows whose fields are visible only through `toJSON`. */
function plainOf(row: unknown): unknown {
  const { toJSON } = (row ?? {}) as { toJSON?: unknown }
  return typeof toJSON === 'function' ? toJSON.call(row) : row
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  return Array.isArray(value) ? 'a list' : `a value of the type ${typeof value}`
}

/** Reads only own properties, because a column named `constructor` must not contain the inherited property. */
function own(row: Row, key: string): unknown {
  return Object.hasOwn(row, key) ? row[key] : undefined
}

function textOf(value: unknown): string {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '' : value.toISOString()
  return typeof value === 'object' ? (JSON.stringify(value) ?? '') : String(value)
}

// The first characters of formulas. Some localized spreadsheets also accept the full-width forms.
const SIGN = '[=+\\-@＝＋－＠]'
const AT_START = new RegExp(`^(?:${SIGN}|[\\t\\r\\n])`)
/** Matches the characters inside a string after which a spreadsheet could begin a cell: `;`, a tab or a line break. */
const BEFORE_CELL = new RegExp(`[;\\t\\r\\n](?="*${SIGN})`, 'g')

function harmless(value: unknown): string {
  const text = textOf(value)
  if (typeof value === 'bigint') return text
  const inside = text.replace(BEFORE_CELL, "$&'")
  return AT_START.test(inside) ? `'${inside}` : inside
}

/** Quotes a field if necessary. Some programs would drop a leading or trailing space that is not quoted. */
function quoted(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
