/** A range of a string. The character at the end index is not included. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** The node of the empty string. */
const ROOT = 0

/**
 * Finds many search strings in one pass over a text (Aho and Corasick, 1975). The work is proportional to the sum of
 * all lengths. Comparing each position with each search string, or searching for one string after another, would be
 * proportional to the product of the lengths. This is important, because a client can choose all of the strings.
 *
 * Each prefix of a search string is a node.
 */
export class TextSearch {
  #size = 1
  /** The first transition of each node: its character and its target node. */
  readonly #character: Uint16Array
  readonly #next: Int32Array
  /** The targets of further transitions. Few nodes have more than one transition. */
  readonly #others = new Map<number, Map<number, number>>()
  /** For each node: the node of the longest other prefix that is also a suffix of the node's string. */
  readonly #suffix: Int32Array
  /** For each node: the length of the search string that ends at the node; 0 if there is none. */
  readonly #length: Int32Array
  /** For each node: the node of the longest other search string that is also a suffix of the node's string. */
  readonly #shorter: Int32Array

  /** @param texts The strings to search for. An empty string is never found. */
  constructor(texts: readonly string[]) {
    const nodes = texts.reduce((sum, { length }) => sum + length, 1)
    this.#character = new Uint16Array(nodes)
    this.#next = new Int32Array(nodes)
    this.#suffix = new Int32Array(nodes)
    this.#length = new Int32Array(nodes)
    this.#shorter = new Int32Array(nodes)
    const growing = texts.filter(Boolean).map((text) => ({ text, node: ROOT }))
    growing.sort((a, b) => b.text.length - a.text.length)
    // A new node depends on nodes with shorter strings, so all strings are added together, one character at a time.
    for (let length = 1; growing.length > 0; length++) {
      for (const each of growing)
        each.node = this.#grow(each.node, each.text.charCodeAt(length - 1))
      for (let last = growing.at(-1); last?.text.length === length; last = growing.at(-1)) {
        this.#length[last.node] = length
        growing.pop()
      }
    }
  }

  /** Returns the longest search string that ends at each index, if there is one, sorted by index. */
  *longest(text: string): Generator<Span> {
    let node = ROOT
    for (let end = 1; end <= text.length; end++) {
      node = this.#step(node, text.charCodeAt(end - 1))
      const length = this.#length[node] || this.#length[this.#shorter[node] as number] || 0
      if (length > 0) yield { start: end - length, end }
    }
  }

  /** Returns the search strings that occur in a text, and the index of the first occurrence of each. */
  first(text: string): Map<string, number> {
    const found = new Map<string, number>()
    const seen = new Set<number>()
    let node = ROOT
    for (let end = 1; end <= text.length; end++) {
      node = this.#step(node, text.charCodeAt(end - 1))
      // If a node was visited before, all search strings that end there have already been found.
      for (let at = node; at !== ROOT && !seen.has(at); at = this.#shorter[at] as number) {
        seen.add(at)
        const start = end - (this.#length[at] as number)
        if (start < end) found.set(text.slice(start, end), start)
      }
    }
    return found
  }

  #grow(node: number, character: number): number {
    const known = this.#child(node, character)
    if (known !== ROOT) return known
    const made = this.#size++
    const suffix = node === ROOT ? ROOT : this.#step(this.#suffix[node] as number, character)
    this.#suffix[made] = suffix
    this.#shorter[made] = this.#length[suffix] === 0 ? (this.#shorter[suffix] as number) : suffix
    if (this.#next[node] === ROOT) {
      this.#character[node] = character
      this.#next[node] = made
    } else {
      const others = this.#others.get(node) ?? new Map<number, number>()
      this.#others.set(node, others.set(character, made))
    }
    return made
  }

  /** Returns the child of a node for a character; the root if there is none. */
  #child(node: number, character: number): number {
    const next = this.#next[node] as number
    if (next === ROOT || this.#character[node] === character) return next
    return this.#others.get(node)?.get(character) ?? ROOT
  }

  /** Returns the node for the longest suffix of a node's string plus the given character. */
  #step(from: number, character: number): number {
    for (let node = from; ; node = this.#suffix[node] as number) {
      const next = this.#child(node, character)
      if (next !== ROOT || node === ROOT) return next
    }
  }
}
