/** A part between commas, without the blanks around it. */
export interface Item {
  readonly start: number
  readonly end: number
}

/** The code between two brackets, as places in the text. */
export interface CodeList {
  /** The place of the opening bracket. */
  readonly open: number
  /** The place of the closing bracket. */
  readonly close: number
  readonly items: readonly Item[]
}

/** Reads the brackets that open at a place of masked code; `undefined` if they are not closed. */
export function readList(mask: string, open: number): CodeList | undefined {
  const items: Item[] = []
  let start = open + 1
  for (let at = open, depth = 0; at < mask.length; at++) {
    const letter = mask.charAt(at)
    if ('([{'.includes(letter)) depth++
    else if (')]}'.includes(letter)) depth--
    const isEnd = depth === 0
    if (!isEnd && !(letter === ',' && depth === 1)) continue
    items.push(...trimmed(mask, start, at))
    if (isEnd) return { open, close: at, items }
    start = at + 1
  }
  return undefined
}

function trimmed(mask: string, start: number, end: number): Item[] {
  const part = mask.slice(start, end)
  const first = part.search(/\S/)
  return first === -1 ? [] : [{ start: start + first, end: start + part.trimEnd().length }]
}

/** A text to insert. */
export interface Insertion {
  readonly at: number
  readonly text: string
}

/** A text, and the same text masked. */
export interface Code {
  readonly text: string
  readonly mask: string
}

/** Adds an item to the end of a list, in the lines and with the comma at the end that the list has. */
export function appendItem(
  { text, mask }: Code,
  { open, close, items }: CodeList,
  item: string,
): Insertion[] {
  const last = items.at(-1)
  if (last === undefined) {
    const space = mask.charAt(open) === '{' ? ' ' : ''
    return [{ at: open + 1, text: `${space}${item}${mask.charAt(open + 1) === ' ' ? '' : space}` }]
  }
  const indent = text.slice(text.lastIndexOf('\n', last.start) + 1, last.start)
  const comma = mask.slice(last.end, close).search(/\S/)
  const hasComma = comma !== -1
  const after = hasComma ? last.end + comma + 1 : last.end
  if (indent.trim() !== '' || !text.slice(open, last.start).includes('\n')) {
    return [{ at: after, text: hasComma ? ` ${item},` : `, ${item}` }]
  }
  const end = endOfLine({ text, mask }, after, close)
  const line = `${text.includes('\r\n') ? '\r\n' : '\n'}${indent}${item}`
  if (hasComma) return [{ at: end, text: `${line},` }]
  return [
    { at: after, text: ',' },
    { at: end, text: line },
  ]
}

/** The end of a line, behind its comment; the same place if other code follows. */
export function endOfLine({ text, mask }: Code, at: number, limit: number): number {
  const length = text.slice(at, limit).search(/\r?\n/)
  return length === -1 || mask.slice(at, at + length).trim() !== '' ? at : at + length
}

/** The text with all insertions. Those at the same place keep their order. */
export function insertAll(text: string, insertions: readonly Insertion[]): string {
  let [result, from] = ['', 0]
  for (const { at, text: inserted } of insertions.toSorted((a, b) => a.at - b.at)) {
    result += text.slice(from, at) + inserted
    from = at
  }
  return result + text.slice(from)
}
