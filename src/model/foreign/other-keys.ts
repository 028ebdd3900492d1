import { REMEDIES } from './remedies.js'
import { type Finding, shown } from './traces.js'

/** Keys with these prefixes belong to a framework whose routes, guards and middlewares do not run here. */
const FRAMEWORKS: readonly (readonly [prefix: string, name: string])[] = [
  ['tsed:', 'Ts.ED'],
  ['inversify-express-utils:', 'inversify-express-utils'],
  ['@inversifyjs/http', 'InversifyJS'],
  ['@inversifyjs/framework', 'InversifyJS'],
  ['loopback:', 'LoopBack'],
]

/** Words in a key that decides about access, or about steps before the handler. */
const DECIDES =
  /^(auth([nz]|ed|enticat\w*|ori[sz]\w*|ority|orities)?|unauth\w*|guards?|roles?|permissions?|permit(ted)?|scopes?|abilit(y|ies)|polic(y|ies)|privileges?|claims?|public|private|(un)?protected|secured?|security|anonymous|admins?|logins?|acl|[ra]bac|grants?|access|jwt|bearer|middlewares?|interceptors?|pipes?)$/

/** Keys of compilers, which do not concern requests. */
const HARMLESS = /^design:/

/**
 * Keys of `@nestjs/swagger` for its documents. `swagger/apiSecurity` of `@ApiBearerAuth()` only documents in NestJS,
 * too.
 */
const DESCRIBES = /^swagger\//

/** Inspects a key of an unknown package. Returns `null` if its meaning is unknown, `[]` if it is harmless. */
export function inspectOther(key: string | symbol, value: unknown): readonly Finding[] | null {
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

/** The remedy for a key that probably has no effect on requests. */
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
