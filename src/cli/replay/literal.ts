import type { PlainValue } from '../../contracts/capsule.js'

/** How a literal is written. */
export interface LiteralStyle {
  readonly quote: "'" | '"'
  readonly indent: string
}

/** Longer objects and lists have a line for each part. */
const LINE = 80

/** A value as TypeScript. */
export function literal(value: PlainValue, style: LiteralStyle, margin = ''): string {
  if (typeof value === 'string') return quoted(value, style)
  if (typeof value !== 'object' || value === null) return String(value)
  if (Array.isArray(value)) {
    const items = (inner: string) => value.map((item) => literal(item, style, inner))
    return joined(['[', ']'], items, { style, margin })
  }
  const fields = value as { readonly [name: string]: PlainValue }
  const [name = '', ...others] = Object.keys(fields)
  const special = others.length === 0 ? specialOf(name, fields[name], style) : undefined
  if (special !== undefined) return special
  const whole = name === '$object' && others.length === 0 ? (fields[name] as typeof fields) : fields
  const parts = (inner: string) =>
    Object.entries(whole).map(
      ([key, each]) => `${keyOf(key, style)}: ${literal(each, style, inner)}`,
    )
  return joined(['{', '}'], parts, { style, margin })
}

function specialOf(name: string, value: PlainValue | undefined, style: LiteralStyle) {
  const text = String(value)
  if (name === '$date') return `new Date(${quoted(text, style)})`
  if (name === '$bytes') return `Buffer.from(${quoted(text, style)}, ${quoted('base64', style)})`
  // Anyone may have written the file. All else here is quoted, and digits need not be.
  if (name === '$bigint' && /^-?\d+$/.test(text)) return `${text}n`
  if (name === '$number') return `Number(${quoted(text, style)})`
  if (name === '$undefined') return 'undefined'
  return undefined
}

interface Surroundings {
  readonly style: LiteralStyle
  readonly margin: string
}

function joined(
  [open, close]: readonly [string, string],
  partsAt: (margin: string) => string[],
  { style, margin }: Surroundings,
): string {
  const inner = margin + style.indent
  const parts = partsAt(inner)
  if (parts.length === 0) return open + close
  const line = open === '{' ? `{ ${parts.join(', ')} }` : `[${parts.join(', ')}]`
  if (line.length <= LINE && !line.includes('\n')) return line
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${margin}${close}`
}

/** `__proto__` as a plain key would be the prototype. */
function keyOf(key: string, style: LiteralStyle): string {
  if (key === '__proto__') return `[${quoted(key, style)}]`
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : quoted(key, style)
}

/** A literal of a text. */
export function quoted(value: string, { quote }: Pick<LiteralStyle, 'quote'>): string {
  // Some editors read the last two as ends of lines.
  const json = JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
  return quote === '"'
    ? json
    : `'${json.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}
