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
  return (
    name
      .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
      .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )
}

/** The name of a method, whatever its key is. */
export function handlerName({ handler }: RouteModel): string {
  return typeof handler === 'symbol' ? (handler.description ?? 'handler') : String(handler)
}
