import { unicodePattern } from '../errors/unicode-pattern.js'
import { type Span, TextSearch } from './text-search.js'

/** The string that replaces a secret value. */
export const HIDDEN = '[secret]'

/**
 * Secrets below this length are replaced only where they are whole words, because short secrets occur inside many
 * words.
 */
const SHORT = 4

let word: RegExp | undefined

/** Finds secret values in strings: in their original form, and encoded for JSON and for URLs. */
export class SecretTexts {
  readonly #values: ReadonlySet<string>
  readonly #long: TextSearch
  readonly #short: ReadonlySet<string>

  /** @param values The secrets, which must not be empty strings. */
  constructor(values: ReadonlySet<string>) {
    this.#values = values
    const forms = [...new Set([...values].flatMap(formsOf))]
    this.#long = new TextSearch(forms.filter((form) => form.length >= SHORT))
    this.#short = new Set(forms.filter((form) => form.length < SHORT))
  }

  get isEmpty(): boolean {
    return this.#values.size === 0
  }

  /** Whether this object was created from these values. */
  isOf(values: ReadonlySet<string>): boolean {
    return values.size === this.#values.size && [...values].every((value) => this.has(value))
  }

  /** Whether a string is exactly a secret value. */
  has(text: string): boolean {
    return this.#values.has(text)
  }

  /** Returns a string without its secrets. Overlapping secrets are replaced together. */
  hideIn(text: string): string {
    const found: Span[] = [...this.#long.longest(text), ...this.#shortIn(text)]
    let [hidden, shown] = ['', 0]
    for (const { start, end } of found.sort((a, b) => a.start - b.start)) {
      if (start >= shown) hidden += text.slice(shown, start) + HIDDEN
      shown = Math.max(shown, end)
    }
    return hidden + text.slice(shown)
  }

  /** Finds the short secrets that are whole words. */
  *#shortIn(text: string): Generator<Span> {
    if (this.#short.size === 0) return
    for (let start = 0; start < text.length; start++) {
      if (isWord(text[start - 1])) continue
      for (let end = start + 1; end < start + SHORT; end++) {
        if (this.#short.has(text.slice(start, end)) && !isWord(text[end])) yield { start, end }
      }
    }
  }
}

function isWord(character: string | undefined): boolean {
  if (character === undefined) return false
  word ??= unicodePattern(String.raw`[\p{L}\p{N}_]`)
  return word.test(character)
}

function formsOf(value: string): string[] {
  return /^[\w.-]*$/.test(value) ? [value] : [value, inJson(value), ...inUrl(value)]
}

function inJson(value: string): string {
  return JSON.stringify(value).slice(1, -1)
}

/** Returns a value in URL encoding and in form encoding. A string with a lone surrogate cannot be encoded. */
function inUrl(value: string): string[] {
  try {
    const encoded = encodeURIComponent(value)
    return [encoded, encoded.replaceAll('%20', '+').replace(/[!'()~]/g, inForm)]
  } catch {
    return []
  }
}

/**
 * Returns the `URLSearchParams` encoding of a character that `encodeURIComponent` does not encode. Calling
 * `URLSearchParams` is much slower.
 */
function inForm(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}
