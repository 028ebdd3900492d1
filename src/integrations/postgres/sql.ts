import { expectedVersion, type Request } from '../../index.js'
import type { Statement } from './driver.js'

/**
 * A fragment of SQL that keeps its values separate from its text, even when fragments are combined. Created by {@link
 * sql}.
 */
export class Sql implements Statement {
  readonly #strings: readonly string[]
  readonly values: readonly unknown[]

  /**
   * Creates a statement. Use the {@link sql} template instead.
   *
   * @param strings The strings before, between and after the values. They must be constants in the program, never user
   * input.
   * @param values The values, in order.
   */
  constructor(strings: readonly string[], values: readonly unknown[]) {
    this.#strings = strings
    this.values = values
  }

  /** The text with the placeholders `$1`, `$2`, … for values. */
  get text(): string {
    return this.#strings.reduce((text, string, index) => `${text}$${index}${string}`)
  }

  /** Combines strings and inputs. An {@link Sql} input becomes part of the text; every other input becomes a value. */
  static flatten(strings: readonly string[], inputs: readonly unknown[]): Sql {
    const [first = ''] = strings
    const texts = [first]
    const values: unknown[] = []
    const append = (text: string) => texts.push(`${texts.pop()}${text}`)
    for (const [index, input] of inputs.entries()) {
      if (input instanceof Sql) {
        append(input.#strings[0] as string)
        texts.push(...input.#strings.slice(1))
        values.push(...input.values)
      } else {
        texts.push('')
        values.push(input)
      }
      append(strings[index + 1] as string)
    }
    return new Sql(texts, values)
  }
}

/** The type of {@link sql}. */
export interface SqlTag {
  (strings: TemplateStringsArray, ...inputs: unknown[]): Sql
  /**
   * Quotes the name of a table or a column. Several names are joined by dots. The name becomes part of the SQL, so do
   * not pass arbitrary names from clients.
   *
   * @throws TypeError if a name is empty or contains a NUL.
   */
  id(...names: string[]): Sql
  /** Joins SQL fragments or values. The default separator is `', '`. */
  join(items: readonly unknown[], separator?: string): Sql
}

/**
 * Creates a statement from a template. Every value becomes a parameter, so it is never interpreted as SQL. A value that
 * is itself a result of `sql` becomes part of the text.
 *
 * @example
 * const mine = sql`status = ${status}`
 * await db.query(sql`select * from orders where ${mine} order by ${sql.id(column)}`)
 */
export const sql: SqlTag = Object.assign(template, {
  id: (...names: string[]) => new Sql([names.map(quoteName).join('.')], []),
  join: (items: readonly unknown[], separator = ', ') => {
    const between = items.slice(1).map(() => separator)
    return Sql.flatten(items.length === 0 ? [''] : ['', ...between, ''], items)
  },
})

function template(strings: TemplateStringsArray, ...inputs: unknown[]): Sql {
  return Sql.flatten(strings, inputs)
}

/** Quotes a name for SQL. */
export function quoteName(name: string): string {
  if (typeof name !== 'string' || name === '' || name.includes('\0')) {
    throw new TypeError('sql.id(): a name must be a non-empty string without NUL.')
  }
  return `"${name.replaceAll('"', '""')}"`
}

/**
 * Returns the condition that a row still has the version that the client expects, in a request to a route with
 * `@Versioned()`. Use the condition in the statement that changes the row, so that only one of several writers with the
 * same version changes it. The condition is always true if the client accepts any version.
 *
 * @param req The request.
 * @param column The version column. Times are compared in milliseconds, the precision of JavaScript. Default:
 * `'version'`.
 * @throws Error in a request to a route without `@Versioned()`.
 * @example
 * const [note] = await db.sql`update notes set text = ${text}, version = version + 1
 *   where id = ${id} and ${versionIs(req)} returning *`
 * if (note === undefined) throw new PreconditionFailedError()
 */
export function versionIs(req: Request, column: string = 'version'): Sql {
  const version = expectedVersion(req)
  if (version === null) return sql`true`
  const name = sql.id(column)
  if (!(version instanceof Date)) return sql`${name} = ${version}`
  return sql`date_trunc('milliseconds', ${name}) = ${version}`
}
