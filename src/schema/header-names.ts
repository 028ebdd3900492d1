import type { Validator } from '../contracts/schema.js'

type Headers = Readonly<Record<string, unknown>>

/** A header name that a schema spells with capital letters. */
interface Spelling {
  readonly name: string
  /** The spelling that Node uses. */
  readonly lower: string
  /** Whether the schema also has the name in lower case. */
  readonly isKept: boolean
}

/**
 * Wraps the headers validator, so that a schema can spell header names in upper or lower case. Header names are
 * case-insensitive (RFC 9110, section 5.1), and Node converts them to lower case.
 *
 * @param names The names in the schema; `null` if they cannot be read from the schema.
 */
export function withHeaderNames(validate: Validator, names: ReadonlySet<string> | null): Validator {
  if (names === null) {
    return (headers) => validate(new Proxy({ ...(headers as Headers) }, WITHOUT_CASE))
  }
  const read = headerReader(names)
  return read === null ? validate : (headers) => validate(read(headers as Headers))
}

/**
 * Returns a function that copies headers and spells their names as the schema does; `null` if all names are in lower
 * case.
 */
export function headerReader(names: ReadonlySet<string>): ((headers: Headers) => Headers) | null {
  const spellings = [...names].map(spellingIn(names)).filter(({ name, lower }) => name !== lower)
  return spellings.length === 0 ? null : (headers) => rename(headers, spellings)
}

function spellingIn(names: ReadonlySet<string>): (name: string) => Spelling {
  return (name) => {
    const lower = name.toLowerCase()
    return { name, lower, isKept: names.has(lower) }
  }
}

function rename(headers: Headers, spellings: readonly Spelling[]): Headers {
  const renamed: Record<string, unknown> = { ...headers }
  for (const { name, lower, isKept } of spellings) {
    if (headers[lower] === undefined) continue
    if (!isKept) delete renamed[lower]
    renamed[name] = headers[lower]
  }
  return renamed
}

/** Makes header names case-insensitive. The wrapped copy lists the names in lower case. */
const WITHOUT_CASE: ProxyHandler<Record<string, unknown>> = {
  get: (headers, key) => Reflect.get(headers, keyIn(headers, key)),
  has: (headers, key) => Reflect.has(headers, keyIn(headers, key)),
  getOwnPropertyDescriptor: (headers, key) =>
    Reflect.getOwnPropertyDescriptor(headers, keyIn(headers, key)),
}

function keyIn(headers: object, key: string | symbol): string | symbol {
  return typeof key === 'string' && !(key in headers) ? key.toLowerCase() : key
}
