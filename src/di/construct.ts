import type { Class, InjectionFacts, Token } from '../contracts/provider.js'
import { ConfigError } from '../errors/config-error.js'

/** Returns the instance of a token. */
type Get = (token: Token) => unknown

/**
 * Creates an instance of a class. The tokens of the constructor parameters come from `@Inject`, from `static
 * inject`, or from the types that `emitDecoratorMetadata` has recorded. A parameter with a default value keeps its
 * default.
 *
 * @throws ConfigError when a parameter has neither.
 */
export function construct(target: Class, facts: InjectionFacts, get: Get): unknown {
  const args = constructorTokens(target, facts).map((token) =>
    token === undefined ? undefined : get(token),
  )
  const instance = new target(...args) as Record<PropertyKey, unknown>
  for (const { key, token } of facts.fields) instance[key] = get(token)
  return instance
}

function constructorTokens(target: Class, facts: InjectionFacts): (Token | undefined)[] {
  const listed = (target as { inject?: unknown }).inject
  const tokens: (Token | undefined)[] = Array.isArray(listed) ? [...listed] : designTypes(target)
  const stated = new Set([
    ...(Array.isArray(listed) ? listed.keys() : []),
    ...facts.parameters.keys(),
  ])
  for (const [index, token] of facts.parameters) tokens[index] = token
  // `length` counts the parameters before the first that has a default.
  for (let index = 0; index < Math.max(target.length, tokens.length); index++) {
    const isNeeded = index < target.length || stated.has(index)
    if (isNeeded && tokens[index] === undefined)
      throw unknownParameter(target, index, stated.has(index))
  }
  return [...tokens]
}

function unknownParameter(target: Class, index: number, isStated: boolean): ConfigError {
  const cause = isStated
    ? `The token of its constructor parameter ${index} is undefined, which is often a circular import.`
    : `The token of its constructor parameter ${index} is not declared.`
  const remedy = isStated
    ? 'Remove the circular import, or move the code that both files need into a third file.'
    : 'Inject it: a default (= inject(Token)), `static inject = [Token]`, or @Inject(Token) with legacy decorators.'
  return new ConfigError([{ code: 'E_PROVIDER_MISSING', subject: target.name, cause, remedy }])
}

/**
 * The types that TypeScript's `emitDecoratorMetadata` has recorded, if the application has loaded a metadata store.
 */
function designTypes(target: Class): (Token | undefined)[] {
  const { getMetadata } = Reflect as { getMetadata?: (key: string, target: object) => unknown }
  const types = getMetadata?.('design:paramtypes', target)
  if (!Array.isArray(types)) return []
  // Interfaces and primitives are recorded as Object, String, …, which name no provider.
  return types.map((type) => (isNative(type) ? undefined : (type as Token)))
}

function isNative(type: unknown): boolean {
  return (
    type === undefined || (globalThis as Record<string, unknown>)[(type as Class).name] === type
  )
}
