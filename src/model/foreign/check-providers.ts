import type { Class } from '../../contracts/provider.js'
import type { Scope } from '../../di/modules.js'
import type { Binding } from '../../di/provider.js'
import { tokenName } from '../../di/token.js'
import type { Problem } from '../../errors/config-error.js'
import { chainOf } from '../../metadata/read.js'
import { foreignDecorator } from './foreign-decorator.js'
import { inspectNest, scopeFindings } from './nest.js'
import { REMEDIES } from './remedies.js'
import { globalRole } from './routing-controllers.js'
import { metadataStore } from './traces.js'

/** The tokens under which NestJS finds the providers that run on every route. */
const GLOBAL_TOKENS = new Map<unknown, string>([
  [
    'APP_GUARD',
    "Give the guard as `auth.guard`, with `auth.default: 'protected'` where every route needs it.",
  ],
  ['APP_PIPE', REMEDIES.schema],
  ['APP_INTERCEPTOR', REMEDIES.interceptor],
  ['APP_FILTER', REMEDIES.filter],
])

/** The keys on the class of a provider that decide how NestJS creates it. */
const INJECTION = ['scope:options', 'self:paramtypes', 'self:properties_metadata']

/** Finds providers that another framework would run by itself, or create anew for each request. */
export function checkForeignProviders(
  scopes: readonly Scope[],
  controllers: ReadonlySet<Class>,
): Problem[] {
  const bindings = scopes.flatMap((scope) => scope.bindings)
  return bindings.flatMap((binding) => [
    ...checkToken(binding),
    ...checkScope(binding),
    ...checkClass(binding, controllers),
  ])
}

function checkToken({ token, origin }: Binding): Problem[] {
  const remedy = GLOBAL_TOKENS.get(token)
  if (remedy === undefined) return []
  const cause = `It is provided by ${origin}, and is a token of NestJS: Blazon never runs providers of this token.`
  return [{ code: 'E_FOREIGN_PROVIDER', subject: String(token), cause, remedy }]
}

function checkScope({ token, source, origin }: Binding): Problem[] {
  if (typeof source === 'function') return []
  return scopeFindings(source).map(({ written, effect, remedy }) => ({
    code: 'E_FOREIGN_PROVIDER',
    subject: tokenName(token),
    cause: `It is provided by ${origin} with ${written}, ${effect}.`,
    remedy,
  }))
}

function checkClass({ make, origin }: Binding, controllers: ReadonlySet<Class>): Problem[] {
  if (make.kind !== 'class' || controllers.has(make.class)) return []
  const subject = make.class.name || 'an anonymous class'
  const role = globalRole(make.class)
  const problems = injectionFindings(make.class).map((each) => foreignDecorator(subject, each))
  if (role === null) return problems
  const cause = `It is provided by ${origin}, and has ${role} of routing-controllers, which Blazon never runs.`
  const remedy = role === '@Middleware()' ? REMEDIES.middleware : REMEDIES.interceptor
  return [...problems, { code: 'E_FOREIGN_PROVIDER', subject, cause, remedy }]
}

/**
 * Finds decorators of NestJS for injection on a class. Each key is read from the nearest class that has it, the
 * class itself or a base class, as NestJS does.
 */
function injectionFindings(target: Class) {
  const store = metadataStore()
  if (store === null) return []
  return INJECTION.flatMap((key) => {
    const link = chainOf(target).find((each) => store.getOwnMetadataKeys(each).includes(key))
    if (link === undefined) return []
    return inspectNest(key, store.getOwnMetadata(key, link), new Map()) ?? []
  })
}
