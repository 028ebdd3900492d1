/** A member of an `Accept` header: a media range and its weight. */
interface Range {
  readonly type: string
  readonly subtype: string
  /** `name=value` in lower case, without `q`. */
  readonly parameters: readonly string[]
  readonly weight: number
}

/** The longest part of an `Accept` header that is read. A longer one would only cost time. */
const MOST_CHARACTERS = 4096

/**
 * Chooses the media type of a response (RFC 9110, 12.5.1). The most specific range that matches a type gives the weight
 * of the type. The type with the greatest weight wins; of equal ones, the first of `types`. A member that cannot be read
 * counts as absent.
 *
 * @param accept The `Accept` header of the request. Without it, or with an empty one, the first type is chosen.
 * @param types The media types that the server can send, the preferred one first.
 * @returns One of `types`; `undefined` if the client accepts none of them: the response is a 406.
 * @example
 * negotiate('text/csv;q=0.5, application/*', ['text/csv', 'application/json']) // 'application/json'
 */
export function negotiate(
  accept: string | undefined,
  types: readonly string[],
): string | undefined {
  if (accept === undefined || accept.trim() === '') return types[0]
  const ranges = splitOutsideQuotes(accept.slice(0, MOST_CHARACTERS), ',').flatMap(readRange)
  let best: string | undefined
  let bestWeight = 0
  for (const type of types) {
    const weight = weightOf(type, ranges)
    if (weight <= bestWeight) continue
    best = type
    bestWeight = weight
  }
  return best
}

/** The weight that the most specific matching range gives to a type; 0 if no range matches. */
function weightOf(text: string, ranges: readonly Range[]): number {
  const [media] = readRange(text)
  if (media === undefined) return 0
  let closest = -1
  let weight = 0
  for (const range of ranges) {
    const specificity = specificityOf(range, media)
    if (specificity < closest || specificity < 0) continue
    // Two equal ranges: the client accepts the type with the greater weight.
    weight = specificity === closest ? Math.max(weight, range.weight) : range.weight
    closest = specificity
  }
  return weight
}

/** How closely a range describes a type; -1 if it does not match. A type with parameters also matches without them. */
function specificityOf(range: Range, media: Range): number {
  if (range.type === '*') return 0
  if (range.type !== media.type) return -1
  if (range.subtype === '*') return 1
  if (range.subtype !== media.subtype) return -1
  const matches = range.parameters.every((each) => media.parameters.includes(each))
  return matches ? 2 + range.parameters.length : -1
}

const TOKEN = "[!#$%&'*+.^_`|~0-9a-z-]+"
const MEDIA = new RegExp(`^(${TOKEN})/(${TOKEN})$`)
const WEIGHT = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/

/** Reads one member; an empty list if it is no media range, or has no valid weight. */
function readRange(text: string): Range[] {
  const [name = '', ...rest] = splitOutsideQuotes(text, ';').map((each) => each.trim())
  const [, type, subtype] = MEDIA.exec(name.toLowerCase()) ?? []
  if (type === undefined || subtype === undefined) return []
  if (type === '*' && subtype !== '*') return []
  const parameters = rest.filter((each) => each !== '').map(readParameter)
  const weight = parameters.find((each) => each.startsWith('q='))?.slice(2) ?? '1'
  if (!WEIGHT.test(weight)) return []
  const others = parameters.filter((each) => !each.startsWith('q='))
  return [{ type, subtype, parameters: others, weight: Number(weight) }]
}

/** `charset="UTF-8"` and `Charset=utf-8` mean the same (RFC 9110, 5.6.6 and 8.3.1). */
function readParameter(text: string): string {
  const equals = text.indexOf('=')
  const value = text.slice(equals + 1).trim()
  const plain = value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value
  return `${text.slice(0, equals).trim()}=${plain}`.toLowerCase()
}

function splitOutsideQuotes(text: string, separator: string): string[] {
  if (!text.includes('"')) return text.split(separator)
  const parts: string[] = []
  let start = 0
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '\\' && isQuoted) at++
    else if (character === '"') isQuoted = !isQuoted
    else if (character === separator && !isQuoted) {
      parts.push(text.slice(start, at))
      start = at + 1
    }
  }
  return [...parts, text.slice(start)]
}
