const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u

/** Names that a type alias must not have: reserved words, and global types that the client uses. */
const TAKEN_TYPES = `
  abstract any as async await bigint boolean break case catch class const continue debugger declare default delete do
  else enum export extends false finally for from function get if implements import in infer instanceof interface is
  keyof let module namespace never new null number object of package private protected public readonly require return
  set static string super switch symbol this throw true try type typeof undefined unique unknown var void while with
  yield
  AbortSignal Array Blob Error Exclude Extract FormData Headers NonNullable Omit Partial Promise ReadableStream
  Record Request RequestInit Response ReturnType TypeError Uint8Array URLSearchParams globalThis
`

/** Returns a name as a property key, quoted if necessary. */
export function propertyKey(name: string): string {
  return IDENTIFIER.test(name) ? name : JSON.stringify(name)
}

/** Assigns unique names. The first caller gets the name itself; for later callers, a number is appended. */
export class NameRegistry {
  readonly #taken: Set<string>

  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set(taken)
  }

  /** Returns the name. If it is taken, appends the first free number from 2 upwards. */
  claim(name: string): string {
    let claimed = name
    for (let n = 2; this.#taken.has(claimed); n++) claimed = `${name}${n}`
    this.#taken.add(claimed)
    return claimed
  }
}

/**
 * Returns names for type aliases, keyed by the original names. They differ from each other and from the `declared`
 * names.
 */
export function typeNames(
  names: readonly string[],
  declared: readonly string[],
): ReadonlyMap<string, string> {
  const taken = new Set([...TAKEN_TYPES.trim().split(/\s+/), ...declared])
  const registry = new NameRegistry(taken)
  return new Map(
    names.map((name) => {
      const identifier = toIdentifier(name)
      return [name, registry.claim(taken.has(identifier) ? `${identifier}_` : identifier)]
    }),
  )
}

function toIdentifier(name: string): string {
  const safe = name.replace(/[^\p{ID_Continue}$]+/gu, '_')
  return IDENTIFIER.test(safe) ? safe : `_${safe}`
}

/**
 * Converts `Order Items` to `orderItems`, and `HTTPStatus` to `httpStatus`; empty if the input has no letters or
 * digits.
 */
export function camelCase(text: string): string {
  const words = text
    .replace(/(\p{Lu}+)(\p{Lu}\p{Ll})/gu, '$1 $2')
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .split(/[^\p{L}\p{N}$]+/u)
    .filter((word) => word !== '')
  return words
    .map((word, index) => {
      const lower = word.toLowerCase()
      return index === 0 ? lower : lower.charAt(0).toUpperCase() + lower.slice(1)
    })
    .join('')
}

/** The content of a comment on a declaration. */
interface CommentFacts {
  readonly text?: string | undefined
  readonly isDeprecated?: boolean | undefined
}

/**
 * Returns a JSDoc comment for a declaration, as complete lines; empty if there is no content. The author's text is
 * escaped, so that it cannot end the comment.
 */
export function comment({ text, isDeprecated = false }: CommentFacts, indent = ''): string {
  const lines = [...linesOf(text ?? ''), ...(isDeprecated ? ['@deprecated'] : [])]
  if (lines.length === 0) return ''
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`
  const body = lines.map((line) => `${indent} * ${line}`.trimEnd())
  return `${indent}/**\n${body.join('\n')}\n${indent} */\n`
}

function linesOf(text: string): string[] {
  const safe = text.trim().replaceAll('*/', '*\\/')
  // U+2028 and U+2029 also end a line in JavaScript.
  return safe === '' ? [] : safe.split(/\r\n|[\n\r\u2028\u2029]/)
}
