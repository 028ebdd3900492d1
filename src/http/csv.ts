import type { Representation } from '../contracts/representation.js'
import { type OptionNames, refuseUnknown } from '../errors/option-group.js'
import { changeItems, isAsyncIterable } from './async-iterable.js'

/** Options of `csv`. */
export interface CsvOptions {
  /**
   * The keys that become columns, in this order. Default: the keys of all rows, in the order in which they first
   * appear. Set it if the keys of rows come from clients.
   */
  readonly columns?: readonly string[]
  /**
   * How to write texts that a spreadsheet would run as a formula: they begin with `=`, `+`, `-`, `@`, a tab or a line
   * break. If `;` or a tab separates columns, a spreadsheet also splits texts there and at line breaks, so formulas may
   * begin there as well. `'escape'`: an apostrophe is inserted before each such beginning. `'keep'`: texts are not
   * changed, for files that only programs read. Numbers are never changed. Default `'escape'`.
   */
  readonly formulas?: 'escape' | 'keep'
}

const NAMES: OptionNames<CsvOptions> = { columns: true, formulas: true }

/**
 * Creates the representation `text/csv` (RFC 4180) for a list of objects, for `@Produces`. The first line contains the
 * column names. If the handler returns an async iterable, its rows are streamed with backpressure; without `columns`,
 * the columns are the keys of the first row. A date becomes its ISO text, `null` and missing values an empty field, an
 * object its JSON.
 *
 * @param options The columns, and how to write formulas. Default: all keys, escaped.
 * @throws TypeError when a response is sent (a 500), if the data is not a list of objects, or if, without `columns`,
 * the keys of rows differ so much that more than 100,000 fields and nine in ten fields are empty.
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
    // No number needs quotes, or looks like a spreadsheet formula.
    if (typeof value === 'number') return String(value)
    return quoted(formulas === 'keep' ? textOf(value) : harmless(value))
  }
  const line = (keys: readonly string[], row?: Row) => {
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
      if (keys.length === 0) return ''
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
  /** Writes a row, or, without a row, the column names. */
  readonly line: (keys: readonly string[], row?: Row) => string
}

/** The lines of streamed rows. Later rows cannot add columns, because the first line has already been sent. */
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

/** Returns the keys of all rows. */
function keysOf(rows: readonly Row[]): readonly string[] {
  const all = rows.flatMap((row) => Object.keys(row))
  const keys = [...new Set(all)]
  refuseEmpty(rows.length * keys.length, all.length)
  return keys
}

/**
 * The number of fields that may always be empty, and the number of additional empty fields for each field with a value.
 */
const MOST_EMPTY = 100_000
const EMPTY_PER_VALUE = 10

/**
 * Keys that a client has chosen may differ in each row. The number of fields is then quadratic in the size of its data.
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

/** Rows of some database packages are objects whose fields are visible only through `toJSON`. */
function plainOf(row: unknown): unknown {
  const { toJSON } = (row ?? {}) as { toJSON?: unknown }
  return typeof toJSON === 'function' ? toJSON.call(row) : row
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  return Array.isArray(value) ? 'a list' : `a value of the type ${typeof value}`
}

/** A column named `constructor` must not contain the property that every object inherits. */
function own(row: Row, key: string): unknown {
  return Object.hasOwn(row, key) ? row[key] : undefined
}

function textOf(value: unknown): string {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '' : value.toISOString()
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

// Some localized spreadsheets also accept the full-width forms of these characters.
const SIGN = '[=+\\-@＝＋－＠]'
const AT_START = new RegExp(`^(?:${SIGN}|[\\t\\r\\n])`)
/** The character before a cell that a spreadsheet may detect within a text: `;` or a tab may separate columns. */
const BEFORE_CELL = new RegExp(`[;\\t\\r\\n](?="*${SIGN})`, 'g')

function harmless(value: unknown): string {
  const text = textOf(value)
  if (typeof value === 'bigint') return text
  const inside = text.replace(BEFORE_CELL, "$&'")
  return AT_START.test(inside) ? `'${inside}` : inside
}

/** Only these characters need quotes; a leading or trailing space would be lost in some programs. */
function quoted(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
