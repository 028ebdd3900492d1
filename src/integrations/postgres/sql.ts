import type { Statement } from './driver.js'

/**
 * A piece of SQL that keeps its values apart from its text, however it is put together. Made by {@link sql}.
 */
export class Sql implements Statement {
  readonly #strings: readonly string[]
  readonly values: readonly unknown[]

  /**
   * Makes a statement; the template {@link sql} calls it.
   *
   * @param strings The text between the values: one more than there are values. It must be text
   * that stands in a program.
   * @param values The values, in order.
   */
  constructor(strings: readonly string[], values: readonly unknown[]) {
    this.#strings = strings
    this.values = values
  }

  /** With `$1`, `$2`, … where the values belong. */
  get text(): string {
    return this.#strings.reduce((text, string, index) => `${text}$${index}${string}`)
  }

  /** Its pieces, with another piece in the place of a value where that is one. */
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

/** The template and what belongs to it; see {@link sql}. */
export interface SqlTag {
  (strings: TemplateStringsArray, ...inputs: unknown[]): Sql
  /**
   * A name of a table, column or the like, quoted; several are joined by dots. A name is no value: take care who chooses it.
   *
   * @throws TypeError when a name is empty or holds a NUL.
   */
  id(...names: string[]): Sql
  /** Pieces or values, one after the other. Default separator: `', '`. */
  join(items: readonly unknown[], separator?: string): Sql
}

/**
 * SQL in a template: every value becomes a parameter, so that nothing in it can be read as SQL; other pieces become part of it.
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

/** A name as SQL wants it. */
export function quoteName(name: string): string {
  if (typeof name !== 'string' || name === '' || name.includes('\0')) {
    throw new TypeError('sql.id(): a name is a text that is not empty and has no NUL in it.')
  }
  return `"${name.replaceAll('"', '""')}"`
}
