import { isSecretName } from '../../schema/secret-name.js'
import { SecretTexts } from '../../schema/secret-texts.js'
import { TextSearch } from '../../schema/text-search.js'

/** A shorter text is a part of too many others. */
const SHORTEST = 4
/** A shorter value of a statement may be an id. */
const SHORTEST_VALUE = 8
const DEEPEST = 20
const MOST = 5000
/** Searching takes a moment in which the server does nothing else. */
const MOST_VALUES = 200_000
/** User and password in a URL: `postgres://ada:secret@db/shop`. */
const IN_URL = /(?<=[a-z][\w+.-]*:\/\/)[^\s/?#@"'<>]+@/gi

/**
 * The secrets of a request that only the names of fields show: of a row, of a form, of a header. A value that one place hides is
 * hidden in all others.
 */
export class FoundSecrets {
  readonly #found = new Set<string>()
  /** The texts of the request that are visible anyway. */
  readonly #visible: string
  #texts: SecretTexts | undefined
  #left: number = MOST_VALUES
  #isTooDeep = false
  /** Objects whose fields were searched: an entity may refer to itself. */
  readonly #searched = new WeakSet<object>()

  /** @param visible A text with everything that the client has sent openly. */
  constructor(visible: string) {
    this.#visible = visible
  }

  /** Whether there was too much to search. */
  get isIncomplete(): boolean {
    return this.#isTooDeep || this.#left < 0 || this.#found.size > MOST
  }

  /** Finds the secrets in the fields of a value, at any depth. */
  search(value: unknown, isSecret = false, depth = 0): void {
    this.#left--
    if (depth > DEEPEST) this.#isTooDeep = true
    if (this.isIncomplete) return
    if (isSecret && isText(value)) this.#add(String(value), SHORTEST)
    if (typeof value !== 'object' || value === null) return
    if (value instanceof Uint8Array) {
      if (isSecret) this.#add(Buffer.from(value).toString(), SHORTEST)
      return
    }
    if (!isSecret && this.#searched.has(value)) return
    if (!isSecret) this.#searched.add(value)
    for (const [name, field] of Object.entries(value)) {
      const isNamed = !Array.isArray(value) && isSecretName(name)
      this.search(field, isSecret || isNamed, depth + 1)
    }
  }

  /** Finds the secrets in the values of a statement that names one. */
  searchValues(values: readonly unknown[]): void {
    const texts = values.filter(isText).map(String)
    const visible = new TextSearch(texts).first(this.#visible)
    for (const text of texts) if (!visible.has(text)) this.#add(text, SHORTEST_VALUE)
  }

  #add(text: string, shortest: number): void {
    if (text.length < shortest) return
    this.#found.add(text)
    // `Bearer abc`: other places have the token alone.
    const rest = /^\S+\s+(\S{4,})$/.exec(text)?.[1]
    if (rest !== undefined) this.#found.add(rest)
  }

  /** Returns a text without these secrets, and without the credentials of URLs in it. */
  readonly hideIn = (text: string): string => {
    this.#texts ??= new SecretTexts(this.#found)
    return this.#texts.hideIn(text).replace(IN_URL, '[secret]@')
  }
}

/** A number with few digits is seldom a secret, and often a part of other texts. */
function isText(value: unknown): value is string | number | bigint {
  if (typeof value === 'number' || typeof value === 'bigint') return String(value).length > 5
  return typeof value === 'string'
}
