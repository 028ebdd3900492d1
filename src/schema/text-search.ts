/** A part of a text, without its last character. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** The node of the empty text. */
const ROOT = 0

/**
 * Finds many texts in one pass over another text (Aho and Corasick, 1975). The work is proportional to the sum of all
 * lengths. Comparing each position with each text, or searching for one text after another, would be proportional to
 * the product, and clients may choose all of these texts.
 *
 * Each prefix of the texts is a node.
 */
export class TextSearch {
  #size = 1
  /** The character that leads from a node to another node, and the target node. */
  readonly #character: Uint16Array
  readonly #next: Int32Array
  /** The targets of further characters. Few nodes have any. */
  readonly #others = new Map<number, Map<number, number>>()
  /** The node of the longest other prefix that is a suffix of this node's text. */
  readonly #suffix: Int32Array
  /** The length of the text that ends at a node; 0 if there is none. */
  readonly #length: Int32Array
  /** The node of the longest other text that is a suffix of this node's text. */
  readonly #shorter: Int32Array

  /** @param texts The texts to find. An empty text is never found. */
  constructor(texts: readonly string[]) {
    const nodes = texts.reduce((sum, { length }) => sum + length, 1)
    this.#character = new Uint16Array(nodes)
    this.#next = new Int32Array(nodes)
    this.#suffix = new Int32Array(nodes)
    this.#length = new Int32Array(nodes)
    this.#shorter = new Int32Array(nodes)
    const growing = texts.filter(Boolean).map((text) => ({ text, node: ROOT }))
    growing.sort((a, b) => b.text.length - a.text.length)
    // A node depends on all nodes with shorter texts.
    for (let length = 1; growing.length > 0; length++) {
      for (const each of growing)
        each.node = this.#grow(each.node, each.text.charCodeAt(length - 1))
      for (let last = growing.at(-1); last?.text.length === length; last = growing.at(-1)) {
        this.#length[last.node] = length
        growing.pop()
      }
    }
  }

  /** Returns the longest text that ends at each index, if there is one, sorted by index. */
  *longest(text: string): Generator<Span> {
    let node = ROOT
    for (let end = 1; end <= text.length; end++) {
      node = this.#step(node, text.charCodeAt(end - 1))
      const length = this.#length[node] || this.#length[this.#shorter[node] as number] || 0
      if (length > 0) yield { start: end - length, end }
    }
  }

  /** Returns the texts that occur in a text, and the index of each text's first occurrence. */
  first(text: string): Map<string, number> {
    const found = new Map<string, number>()
    const seen = new Set<number>()
    let node = ROOT
    for (let end = 1; end <= text.length; end++) {
      node = this.#step(node, text.charCodeAt(end - 1))
      // If a node was seen before, all texts that end there have already been found.
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

  /** Returns the node for the longest suffix of a node's text with a character appended. */
  #step(from: number, character: number): number {
    for (let node = from; ; node = this.#suffix[node] as number) {
      const next = this.#child(node, character)
      if (next !== ROOT || node === ROOT) return next
    }
  }
}
