import type { Class, InjectionFacts, Token } from '../contracts/provider.js'

/** Answers with the instance behind a token. */
type Get = (token: Token) => unknown

/**
 * Makes a class. The tokens of its constructor come, parameter by parameter, from `@Inject`, from
 * `static inject`, or from the types that `emitDecoratorMetadata` left behind; a parameter
 * without any is left to its default.
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
  for (const [index, token] of facts.parameters) tokens[index] = token
  return [...tokens]
}

/** What TypeScript's `emitDecoratorMetadata` recorded, where the application has loaded a store for it. */
function designTypes(target: Class): (Token | undefined)[] {
  const { getMetadata } = Reflect as { getMetadata?: (key: string, target: object) => unknown }
  const types = getMetadata?.('design:paramtypes', target)
  if (!Array.isArray(types)) return []
  // Interfaces and primitives arrive as Object, String, …: they name no provider.
  return types.map((type) => (isNative(type) ? undefined : (type as Token)))
}

function isNative(type: unknown): boolean {
  return (
    type === undefined || (globalThis as Record<string, unknown>)[(type as Class).name] === type
  )
}
