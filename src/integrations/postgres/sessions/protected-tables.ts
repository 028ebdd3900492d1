/** The names of tables whose rows belong to tenants. */
export const LIST_PROTECTED =
  "select relname as name from pg_catalog.pg_class where relrowsecurity and relkind in ('r', 'p')"

/** Texts whose verdict is kept; a program has so many statements, and one that writes values into them has no end of them. */
const MOST_TEXTS = 1000

/**
 * Finds statements that would see nothing, or be refused, because nobody's name is no tenant's. It only makes a mistake be heard: it looks for
 * words, and what it overlooks, PostgreSQL still refuses to show.
 */
export class ProtectedTables {
  readonly #pattern: RegExp | null
  readonly #verdicts = new Map<string, string | null>()

  constructor(names: readonly string[]) {
    const words = names.map((name) => name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    this.#pattern =
      words.length === 0 ? null : new RegExp(`(?<![\\w$])(?:${words.join('|')})(?![\\w$])`, 'i')
  }

  /** A table of tenants that a statement names; `null` for none. */
  find(text: string): string | null {
    if (this.#pattern === null) return null
    const known = this.#verdicts.get(text)
    if (known !== undefined) return known
    const found = this.#pattern.exec(text)?.[0] ?? null
    if (this.#verdicts.size >= MOST_TEXTS) this.#verdicts.clear()
    this.#verdicts.set(text, found)
    return found
  }
}
