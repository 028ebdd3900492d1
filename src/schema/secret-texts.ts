/** The text in place of a secret value. */
export const HIDDEN = '[secret]'

/** A shorter text is a part of many words, so only the text as a word of its own is replaced. */
const SHORT = 4

/** With so few texts, `includes` finds out faster that a text has none of them. */
const FEW = 16

/** If more texts begin with the same characters, the rest of a text is hidden: comparing it with all takes too long. */
const MOST_ALIKE = 100

const WORD = /[\p{L}\p{N}_]/u

/** Secret values, as they are, in JSON, and in URLs. */
export class SecretTexts {
  readonly #values: ReadonlySet<string>
  /** All forms of the values, by their first characters. */
  readonly #long = new Map<string, string[]>()
  readonly #short = new Set<string>()
  readonly #few: readonly string[] | null

  /** @param values Texts that are not empty. */
  constructor(values: ReadonlySet<string>) {
    this.#values = values
    const forms = new Set([...values].flatMap(formsOf))
    this.#few = forms.size > FEW ? null : [...forms]
    for (const form of forms) {
      if (form.length < SHORT) this.#short.add(form)
      else this.#add(form)
    }
  }

  get isEmpty(): boolean {
    return this.#values.size === 0
  }

  /** Whether a text is exactly a secret value. */
  has(text: string): boolean {
    return this.#values.has(text)
  }

  /** Returns a text without the secrets in it. Secrets that overlap are replaced together. */
  hideIn(text: string): string {
    if (this.#few?.some((form) => text.includes(form)) === false) return text
    let [hidden, shown] = ['', 0]
    for (let i = 0; i < text.length; i++) {
      const end = this.#endOf(text, i)
      if (end <= shown) continue
      if (i >= shown) hidden += text.slice(shown, i) + HIDDEN
      shown = end
    }
    return hidden + text.slice(shown)
  }

  #add(form: string): void {
    const start = form.slice(0, SHORT)
    const alike = this.#long.get(start)
    if (alike === undefined) this.#long.set(start, [form])
    else alike.push(form)
  }

  /** Returns the end of the longest secret that begins at an index; 0 if there is none. */
  #endOf(text: string, start: number): number {
    const alike = this.#long.get(text.slice(start, start + SHORT)) ?? []
    if (alike.length > MOST_ALIKE) return text.length
    let end = 0
    for (const form of alike) {
      if (text.startsWith(form, start)) end = Math.max(end, start + form.length)
    }
    if (end > 0 || this.#short.size === 0 || isWord(text[start - 1])) return end
    for (let next = start + 1; next < start + SHORT; next++) {
      if (this.#short.has(text.slice(start, next)) && !isWord(text[next])) end = next
    }
    return end
  }
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && WORD.test(character)
}

function formsOf(value: string): string[] {
  return /^[\w.-]*$/.test(value) ? [value] : [value, inJson(value), ...inUrl(value)]
}

function inJson(value: string): string {
  return JSON.stringify(value).slice(1, -1)
}

/** The value as it is in a URL, and in a form. Text with half a surrogate pair cannot be in one. */
function inUrl(value: string): string[] {
  try {
    return [encodeURIComponent(value), new URLSearchParams([['', value]]).toString().slice(1)]
  } catch {
    return []
  }
}
