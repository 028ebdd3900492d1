import type { IncomingMessage } from 'node:http'

// Strict patterns for the content type (RFC 9110, section 8.3.1). In lenient parsers, a tab or trailing text
// has bypassed validation (CVE-2026-25223, CVE-2026-3419). Each repetition starts with a character that the
// part before it cannot match, so the patterns do not backtrack.
const TOKEN = "[a-z0-9!#$%&'*+.^_`|~-]+"
const QUOTED = String.raw`"(?:[^"\\]|\\.)*"`
// `utf8` is not a registered name, and many clients send it.
const UTF_8 = 'charset=(?:utf-?8|"utf-?8")'
const VALUE = `${TOKEN}=(?:${TOKEN}|${QUOTED})`
const OTHER = `(?!charset=)${VALUE}`

const parameters = (one: string) => `[ \t]*(?:;[ \t]*(?:${one}[ \t]*)?)*$`

/** The parameters of a type whose bodies are text in UTF-8. Any other parameter, or an empty one, has no effect. */
const IN_UTF_8 = parameters(`(?:${UTF_8}|${OTHER})`)

// On the wire, only UTF-8 is JSON (RFC 8259, section 8.1).
const JSON_TYPE = new RegExp(`^application/(?:[a-z0-9!#$&^_.-]+[+])?json${IN_UTF_8}`, 'i')
const TEXT_TYPE = new RegExp(`^(${TOKEN}/${TOKEN})${IN_UTF_8}`, 'i')
const ANY_TYPE = new RegExp(`^(${TOKEN}/${TOKEN})${parameters(VALUE)}`, 'i')

/** Whether the declared type of the body is JSON. */
export function isJson(req: IncomingMessage): boolean {
  const type = req.headers['content-type']
  return type === 'application/json' || (type !== undefined && JSON_TYPE.test(type))
}

/** A declared media type, in lower case and without parameters; `''` for a malformed type. */
export interface DeclaredType {
  readonly essence: string
  /** Whether its text is in UTF-8, so that no parameter names another charset. */
  readonly isInUtf8: boolean
}

/** Reads `Content-Type`; `null` without it. */
export function declaredType({ headers }: IncomingMessage): DeclaredType | null {
  const type = headers['content-type']
  if (type === undefined) return null
  const inUtf8 = TEXT_TYPE.exec(type)?.[1]
  const essence = inUtf8 ?? ANY_TYPE.exec(type)?.[1] ?? ''
  return { essence: essence.toLowerCase(), isInUtf8: inUtf8 !== undefined }
}
