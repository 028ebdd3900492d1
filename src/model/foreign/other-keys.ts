import { REMEDIES } from './remedies.js'
import { type Finding, shown } from './traces.js'

/** Keys that begin with these belong to a framework whose routes, guards and middlewares nobody runs here. */
const FRAMEWORKS: readonly (readonly [prefix: string, name: string])[] = [
  ['tsed:', 'Ts.ED'],
  ['inversify-express-utils:', 'inversify-express-utils'],
  ['@inversifyjs/http', 'InversifyJS'],
  ['@inversifyjs/framework', 'InversifyJS'],
  ['loopback:', 'LoopBack'],
]

/** Words of a key that decides who may ask, or what runs before the handler. */
const DECIDES =
  /^(auth([nz]|ed|enticat\w*|ori[sz]\w*|ority|orities)?|unauth\w*|guards?|roles?|permissions?|permit(ted)?|scopes?|abilit(y|ies)|polic(y|ies)|privileges?|claims?|public|private|(un)?protected|secured?|security|anonymous|admins?|logins?|acl|[ra]bac|grants?|access|jwt|bearer|middlewares?|interceptors?|pipes?)$/

/** What compilers leave, and says nothing of requests. */
const HARMLESS = /^design:/

/** What `@nestjs/swagger` notes for its documents: `swagger/apiSecurity` of `@ApiBearerAuth()` decides nothing there, either. */
const DESCRIBES = /^swagger\//

/** What a key of nobody we know says; `null` where nothing can be known of it, `[]` where it is harmless. */
export function judgeOther(key: string | symbol, value: unknown): readonly Finding[] | null {
  const name = nameOf(key)
  if (HARMLESS.test(name)) return []
  const framework = FRAMEWORKS.find(([prefix]) => name.startsWith(prefix))
  if (framework !== undefined) {
    return [{ written: 'decorators', by: framework[1], remedy: REMEDIES.controller }]
  }
  if (DESCRIBES.test(name) || !wordsOf(name).some((word) => DECIDES.test(word))) return null
  const written = `@SetMetadata(${shown([key, value])})`
  const effect = 'which Blazon does not read: it has no effect'
  return [{ written, by: 'NestJS, or metadata like it', effect, remedy: REMEDIES.access }]
}

/** What to do about a key that decides nothing, as far as can be known. */
export function remedyForUnknown(key: string | symbol): string {
  return DESCRIBES.test(nameOf(key))
    ? 'Use @ApiOperation, @ApiResponseDoc, @ApiBody, @ApiTags or @ApiHidden of blazon instead, and remove it; Blazon infers much of it.'
    : 'Remove its decorator. If a plugin of yours reads the key, list it in the `metadataKeys` of the plugin.'
}

function nameOf(key: string | symbol): string {
  return typeof key === 'symbol' ? (key.description ?? '') : key
}

/** `isPublic`, `IS_PUBLIC` and `is:public` are the same words. */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
}
