import type { RouteModel } from '../contracts/route-model.js'

/** `getUserById` → `Get User By Id`, `listHTTPCodes` → `List HTTP Codes` (specification section 4.3). */
export function titleCase(name: string): string {
  return words(name)
    .map((word) => word[0]?.toUpperCase() + word.slice(1))
    .join(' ')
}

/** `Users_getById` → `UsersGetById`: what schemas without a name of their own are named after. */
export function pascalCase(name: string): string {
  return words(name)
    .map((word) => word[0]?.toUpperCase() + word.slice(1))
    .join('')
}

function words(name: string): string[] {
  const { boundaries, word } = /[^ -~]/.test(name) ? ANY_SCRIPT : ASCII
  const spaced = boundaries.reduce((text, boundary) => text.replace(boundary, '$1 $2'), name)
  return spaced.match(word) ?? []
}

/** Where words of a name meet, and what they are made of. */
interface Script {
  readonly boundaries: readonly RegExp[]
  readonly word: RegExp
}

const ANY_SCRIPT: Script = {
  boundaries: [/([\p{Ll}\d])(\p{Lu})/gu, /(\p{Lu})(\p{Lu}\p{Ll})/gu],
  word: /[\p{L}\p{N}]+/gu,
}

/** The same for nearly all names: the classes above take V8 longer to compile than all names of a large API take to be split. */
const ASCII: Script = {
  boundaries: [/([a-z\d])([A-Z])/g, /([A-Z])([A-Z][a-z])/g],
  word: /[A-Za-z\d]+/g,
}

/** The name of a method, whatever its key is. */
export function handlerName({ handler }: RouteModel): string {
  return typeof handler === 'symbol' ? (handler.description ?? 'handler') : String(handler)
}
