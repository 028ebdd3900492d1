import type { Field, QueryResult, Statement } from '../driver.js'
import type { PgliteResult } from '../drivers/pglite-package.js'

/** Converts a result with strings from PostgreSQL to the result that every driver returns. */
export function readResult(result: PgliteResult, statement: Statement): QueryResult {
  const { fields, rowCount = 0, command = '' } = result
  const readerOf = readersFor(statement)
  const readers = fields.map(({ dataTypeID }) => readerOf(dataTypeID))
  const read = (text: string | null, index: number) =>
    text === null ? null : readers[index]?.(text)
  // `fromEntries` defines properties, so a column named `__proto__` stays an ordinary column. Copying an object with
  // all columns is faster than adding one property after the other.
  const template: Record<string, unknown> = Object.fromEntries(
    fields.map(({ name }) => [name, null]),
  )
  const byName = (row: readonly (string | null)[]) => {
    const named = { ...template }
    for (let index = 0; index < row.length; index++) {
      named[(fields[index] as Field).name] = read(row[index] as string | null, index)
    }
    return named
  }
  // The row type depends on `rowMode`, which is known only when the statement is sent.
  const rows =
    statement.rowMode === 'array'
      ? result.rows.map((row) => row.map(read))
      : result.rows.map(byName)
  return { rows: rows as QueryResult['rows'], rowCount, command, fields }
}

const MOMENT =
  /^(\d{4,})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,3})\d*)?(?:([+-])(\d\d)(?::(\d\d))?(?::(\d\d))?)?( BC)?$/

/**
 * Reads a `timestamptz`, or a `timestamp`, which has no time zone and is read as UTC. `infinity` becomes the number
 * `Infinity`, because a `Date` cannot be infinite. A value in a non-ISO style stays a string.
 */
function readDate(text: string): Date | number | string {
  const match = MOMENT.exec(text)
  if (match === null) return readInfinity(text)
  const [, year, month, day, hour, minute, second, fraction = '', sign, ...rest] = match
  const [zoneHours = 0, zoneMinutes = 0, zoneSeconds = 0, era] = rest
  const date = new Date(0)
  const fullYear = era === undefined ? Number(year) : 1 - Number(year)
  // `Date.UTC(year, …)` would read the year 50 as 1950.
  date.setUTCFullYear(fullYear, Number(month) - 1, Number(day))
  date.setUTCHours(Number(hour), Number(minute), Number(second), Number(fraction.padEnd(3, '0')))
  const offset = Number(zoneHours) * 3600 + Number(zoneMinutes) * 60 + Number(zoneSeconds)
  return new Date(date.getTime() - (sign === '-' ? -offset : offset) * 1000)
}

function readInfinity(text: string): number | string {
  if (text === 'infinity') return Number.POSITIVE_INFINITY
  return text === '-infinity' ? Number.NEGATIVE_INFINITY : text
}

/**
 * The reader for each type: the type number (`oid` in `pg_type`, the same in every PostgreSQL), the number of its array
 * type, and the function. Other types stay strings: `int8` and `numeric`, because JavaScript numbers are not exact
 * enough; `date`, because it is not a point in time; `interval`, ranges and rare types. Rare arrays are read later by
 * `OwnTypes`.
 */
const TYPES: readonly (readonly [oid: number, arrayOid: number, read: Reader])[] = [
  [16, 1000, (text) => text === 't'],
  [17, 1001, readBytes],
  [21, 1005, Number],
  [23, 1007, Number],
  [26, 1028, Number],
  [700, 1021, Number],
  [701, 1022, Number],
  [1114, 1115, readDate],
  [1184, 1185, readDate],
  [114, 199, (text) => JSON.parse(text)],
  [3802, 3807, (text) => JSON.parse(text)],
]

/**
 * The types that stay strings: the element types of the arrays below, `unknown`, and `void`. 0 is the type of rows that
 * a test provides.
 */
const TEXTS = [
  0, 20, 1700, 1082, 25, 1043, 1042, 18, 19, 2950, 1083, 1266, 1186, 869, 650, 829, 774, 1560, 1562,
  790, 142, 705, 2278,
]

/**
 * Array types whose elements stay strings: `int8`, `numeric`, `date`, `text`, `varchar`, `bpchar`, `char`, `name`,
 * `uuid`, `time`, `timetz`, `interval`, `inet`, `cidr`, `macaddr`, `macaddr8`, `bit`, `varbit`, `money`, `xml`.
 */
const TEXT_ARRAYS = [
  1016, 1231, 1182, 1009, 1015, 1014, 1002, 1003, 2951, 1183, 1270, 1187, 1041, 651, 1040, 775,
  1561, 1563, 791, 143,
]

const READERS = new Map<number, Reader>([
  ...TYPES.map(([oid, , read]) => [oid, read] as const),
  ...TYPES.map(([, arrayOid, read]) => [arrayOid, arrayOf(read)] as const),
  ...TEXTS.map((oid) => [oid, readText] as const),
  ...TEXT_ARRAYS.map((oid) => [oid, arrayOf(readText)] as const),
])

/** Whether values of a type can be read completely without the database catalog. */
export function isKnown(oid: number): boolean {
  return READERS.has(oid)
}

/** The type numbers of `timestamp`, `timestamptz`, and arrays of these types. */
const TIMES: readonly number[] = [1114, 1184, 1115, 1185]

/** Returns the reader for a type. */
export type ReaderOf = (oid: number) => Reader

const readAll: ReaderOf = (oid) => READERS.get(oid) ?? readText
const readNothing: ReaderOf = () => readText
const readAllButTimes: ReaderOf = (oid) => (TIMES.includes(oid) ? readText : readAll(oid))

/** Returns the readers for the values of a result. */
export function readersFor({ texts }: Pick<Statement, 'texts'>): ReaderOf {
  if (texts === undefined) return readAll
  return texts === 'all' ? readNothing : readAllButTimes
}

function readText(text: string): string {
  return text
}

/** Reads a `bytea` in either of the server's output formats (`hex` or `escape`). */
function readBytes(text: string): Buffer {
  if (text.startsWith('\\x')) return Buffer.from(text.slice(2), 'hex')
  const bytes = text.replace(/\\(\\|[0-7]{3})/g, (_, escaped: string) =>
    escaped === '\\' ? escaped : String.fromCharCode(Number.parseInt(escaped, 8)),
  )
  return Buffer.from(bytes, 'latin1')
}

/** Converts a string from PostgreSQL to a value. */
export type Reader = (text: string) => unknown

/**
 * Creates a reader for arrays in PostgreSQL's text format: `{1,"a b",NULL,{2}}`, or with bounds as in `[0:1]={1,2}`.
 *
 * @param read Reads one element.
 * @param delimiter The character between elements. Only the PostgreSQL type `box` uses a different one.
 */
export function arrayOf(read: Reader, delimiter = ','): Reader {
  // `undefined` means the end of the string.
  const breaks = new Set([delimiter, '}', undefined])
  return (text) => new ArrayReader(text, read, breaks).readAll()
}

class ArrayReader {
  readonly #text: string
  readonly #read: Reader
  /** The characters that end an unquoted element. */
  readonly #breaks: ReadonlySet<string | undefined>
  #at: number

  constructor(text: string, read: Reader, breaks: ReadonlySet<string | undefined>) {
    this.#text = text
    this.#read = read
    this.#breaks = breaks
    this.#at = text.indexOf('{')
  }

  readAll(): unknown[] {
    const list: unknown[] = []
    // Each iteration begins after a brace or a comma. The loop ends at the closing brace.
    while (this.#at < this.#text.length && this.#text[this.#at++] !== '}') {
      if (this.#text[this.#at] !== '}') list.push(this.#readElement())
    }
    return list
  }

  #readElement(): unknown {
    const first = this.#text[this.#at]
    if (first === '{') return this.readAll()
    if (first === '"') return this.#read(this.#readQuoted())
    const text = this.#readBare()
    return text === 'NULL' ? null : this.#read(text)
  }

  #readBare(): string {
    const start = this.#at
    while (!this.#breaks.has(this.#text[this.#at])) this.#at++
    return this.#text.slice(start, this.#at)
  }

  #readQuoted(): string {
    const start = this.#at + 1
    let end = start
    while (end < this.#text.length && this.#text[end] !== '"')
      end += this.#text[end] === '\\' ? 2 : 1
    this.#at = end + 1
    return this.#text.slice(start, end).replace(/\\(.)/gs, '$1')
  }
}
