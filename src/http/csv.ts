import type { Representation } from '../contracts/representation.js'
import { changeItems, isAsyncIterable } from './async-iterable.js'

/** Options of `csv`. */
export interface CsvOptions {
  /** The keys that become columns, in this order. Default: the keys of all rows, in the order in which they first appear. */
  readonly columns?: readonly string[]
  /**
   * Texts that a spreadsheet would run as a formula begin with `=`, `+`, `-`, `@`, a tab or a carriage return.
   * `'escape'`: they get an apostrophe in front of them. `'keep'`: they are written as they are, for files that only
   * programs read. Numbers always stay as they are. Default `'escape'`.
   */
  readonly formulas?: 'escape' | 'keep'
}

/**
 * Makes the representation `text/csv` (RFC 4180) of a list of objects, for `@Produces`. The first line has the names of the
 * columns. If the handler returns an async iterable, its rows are sent one by one, as the client takes them; without the
 * option, their columns are the keys of the first row. A date becomes its ISO text, `null` and a missing value an empty field, an object its JSON.
 *
 * @param options The columns, and what happens to formulas. Default: all keys, escaped.
 * @throws TypeError, when a response is sent, for data that is no list of objects: a 500.
 * @example
 * @Produces('application/json', csv({ columns: ['id', 'total'] }))
 * @Get('export')
 * export() { return orders.all() }
 */
export function csv({ columns, formulas = 'escape' }: CsvOptions = {}): Representation {
  const field = (value: unknown) => {
    // No number needs quotes, or looks like a formula to a spreadsheet.
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
  return {
    type: 'text/csv',
    serialize(data: unknown) {
      if (isAsyncIterable(data)) return linesOf(data, { columns, line })
      const rows = rowsOf(data)
      const keys = columns ?? [...new Set(rows.flatMap((row) => Object.keys(row)))]
      if (keys.length === 0) return ''
      return line(keys) + rows.map((row) => line(keys, row)).join('')
    },
  }
}

interface Lines {
  readonly columns: readonly string[] | undefined
  /** Writes a row; without one, the names of the columns. */
  readonly line: (keys: readonly string[], row?: Row) => string
}

/** The lines of rows that come one by one. Later rows cannot add columns: the first line has been sent. */
function linesOf(rows: AsyncIterable<unknown>, { columns, line }: Lines): AsyncIterable<string> {
  let keys = columns
  let head = columns === undefined ? '' : line(columns)
  return changeItems(rows, {
    change(each) {
      const row = rowOf(each)
      if (keys === undefined) {
        keys = Object.keys(row)
        head = line(keys)
      }
      const text = head + line(keys, row)
      head = ''
      return text
    },
    last: () => head,
  })
}

type Row = Readonly<Record<string, unknown>>

function rowsOf(data: unknown): readonly Row[] {
  if (!Array.isArray(data))
    throw new TypeError(`text/csv needs a list of objects, and got ${kindOf(data)}.`)
  return data.map(rowOf)
}

function rowOf(row: unknown): Row {
  const plain = plainOf(row)
  if (typeof plain === 'object' && plain !== null && !Array.isArray(plain)) return plain as Row
  throw new TypeError(`text/csv needs a list of objects, and one of its items is ${kindOf(plain)}.`)
}

/** Rows of some database packages are objects whose fields only `toJSON` shows. */
function plainOf(row: unknown): unknown {
  const { toJSON } = (row ?? {}) as { toJSON?: unknown }
  return typeof toJSON === 'function' ? toJSON.call(row) : row
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  return Array.isArray(value) ? 'a list' : `a value of the type ${typeof value}`
}

/** A column with the name `constructor` must not show what every object inherits. */
function own(row: Row, key: string): unknown {
  return Object.hasOwn(row, key) ? row[key] : undefined
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '' : value.toISOString()
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function harmless(value: unknown): string {
  const text = textOf(value)
  return typeof value !== 'bigint' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
}

/** Only these characters need quotes; a leading or trailing space would be lost in some programs. */
function quoted(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
