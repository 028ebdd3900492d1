import type { RouteModel } from '../contracts/route-model.js'
import { unicodePattern } from '../errors/unicode-pattern.js'

/** Converts `getUserById` to `Get User By Id`, and `listHTTPCodes` to `List HTTP Codes`. */
export function titleCase(name: string): string {
  return words(name)
    .map((word) => word[0]?.toUpperCase() + word.slice(1))
    .join(' ')
}

/** Converts `Users_getById` to `UsersGetById`. The generated names of unnamed schemas begin with the result. */
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

/** The patterns that split a name into words. */
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
 * The patterns for ASCII names. Nearly all names are ASCII: for V8, compiling the Unicode classes above takes longer
 * than splitting all names of a large API.
 */
const ASCII: Script = {
  boundaries: [/([a-z\d])([A-Z])/g, /([A-Z])([A-Z][a-z])/g],
  word: /[A-Za-z\d]+/g,
}

/** Returns the name of a handler method as a string, even if its key is a symbol. */
export function handlerName({ handler }: RouteModel): string {
  return typeof handler === 'symbol' ? (handler.description ?? 'handler') : String(handler)
}
