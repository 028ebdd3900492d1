import type { RouteModel } from '../contracts/route-model.js'
import { unicodePattern } from '../errors/unicode-pattern.js'

/** `getUserById` → `Get User By Id`, `listHTTPCodes` → `List HTTP Codes`. */
export function titleCase(name: string): string {
  return words(name)
    .map((word) => word[0]?.toUpperCase() + word.slice(1))
    .join(' ')
}

/** `Users_getById` → `UsersGetById`. Schemas without a name get a name that begins so. */
export function pascalCase(name: string): string {
  return words(name)
    .map((word) => word[0]?.toUpperCase() + word.slice(1))
    .join('')
}

function words(name: string): string[] {
  const { boundaries, word } = /[^ -~]/.test(name) ? anyScript() : ASCII
  const spaced = boundaries.reduce((text, boundary) => text.replace(boundary, '$1 $2'), name)
  return spaced.match(word) ?? []
}

/** Patterns that split a name into words. */
interface Script {
  readonly boundaries: readonly RegExp[]
  readonly word: RegExp
}

let kept: Script | undefined

function anyScript(): Script {
  const pattern = (source: string) => unicodePattern(source, 'gu')
  kept ??= {
    boundaries: [
      pattern(String.raw`([\p{Ll}\d])(\p{Lu})`),
      pattern(String.raw`(\p{Lu})(\p{Lu}\p{Ll})`),
    ],
    word: pattern(String.raw`[\p{L}\p{N}]+`),
  }
  return kept
}

/**
 * Used for names in ASCII, which nearly all are: V8 needs longer to compile the Unicode classes above than to
 * split all names of a large API.
 */
const ASCII: Script = {
  boundaries: [/([a-z\d])([A-Z])/g, /([A-Z])([A-Z][a-z])/g],
  word: /[A-Za-z\d]+/g,
}

/** The name of the handler's method as a string, also when its key is a symbol. */
export function handlerName({ handler }: RouteModel): string {
  return typeof handler === 'symbol' ? (handler.description ?? 'handler') : String(handler)
}
