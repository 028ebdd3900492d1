import type { Class, Module, Provider, Token } from '../contracts/provider.js'
import type { ConfigError, Problem } from '../errors/config-error.js'
import { type Binding, duplicateProvider, isSameBinding, toBinding } from './provider.js'
import { tokenName } from './token.js'

/**
 * A group of providers that can inject each other. The rest of the application can inject only the `exports` of a
 * private scope.
 */
export interface Scope {
  readonly bindings: readonly Binding[]
  readonly controllers: readonly Class[]
  /** The exported tokens; `null` for the scope of the whole application. */
  readonly exports: readonly Token[] | null
}

/** The controllers of one module, or from the option `controllers`, with their prefix. */
export interface Placement {
  /** The name of the place in messages, such as `module 'users'` or `controllers`. */
  readonly name: string
  /** The module's prefix, not yet checked; `undefined` if there is none. */
  readonly prefix: unknown
  readonly controllers: readonly Class[]
}

/** The providers and controllers of all modules, grouped by scope. */
export interface ModuleGraph {
  readonly scopes: readonly Scope[]
  /** Each place that lists controllers. */
  readonly placements: readonly Placement[]
  readonly problems: readonly Problem[]
}

/** Visits each module once, before the modules that it imports. Collects problems instead of throwing them. */
export function collectModules(
  modules: readonly Module[],
  listedControllers: readonly Class[],
  listed: readonly { readonly origin: string; readonly providers: readonly Provider[] }[],
): ModuleGraph {
  const problems: Problem[] = []
  const shared = new Map<Token, Binding>()
  const scopes: Scope[] = []
  const controllers: Class[] = [...listedControllers]
  const placements: Placement[] = [
    { name: 'controllers', prefix: undefined, controllers: listedControllers },
  ]
  const classesOf = (module: Module) =>
    (module.controllers ?? []).filter((controller) => typeof controller === 'function')
  const bind = (providers: readonly Provider[], origin: string, into: Map<Token, Binding>) => {
    for (const provider of providers) addBinding(provider, origin, into, problems)
  }
  for (const { origin, providers } of listed) bind(providers, origin, shared)
  for (const [module, name] of walk(modules, problems)) {
    placements.push({ name, prefix: module.prefix, controllers: classesOf(module) })
    if (module.exports === undefined) {
      bind(module.providers ?? [], name, shared)
      controllers.push(...classesOf(module))
      continue
    }
    const own = new Map<Token, Binding>()
    bind(module.providers ?? [], name, own)
    problems.push(...unknownExports(module.exports, own, name))
    scopes.push({
      bindings: [...own.values()],
      controllers: classesOf(module),
      exports: module.exports,
    })
  }
  const everywhere = { bindings: [...shared.values()], controllers, exports: null }
  return { scopes: [everywhere, ...scopes], placements, problems }
}

function walk(modules: readonly Module[], problems: Problem[]): Map<Module, string> {
  const found = new Map<Module, string>()
  const visit = (list: readonly Module[], where: string) => {
    list.forEach((module, index) => {
      const mistake = mistakeOf(module)
      if (mistake !== null) problems.push(invalidModule(mistake, `${where}[${index}]`))
      else if (!found.has(module)) {
        const name = module.name === undefined ? `${where}[${index}]` : `module '${module.name}'`
        found.set(module, name)
        problems.push(...invalidControllers(module, name))
        visit(module.imports ?? [], `imports of ${name}`)
      }
    })
  }
  visit(modules, 'modules')
  return found
}

function addBinding(
  source: Provider,
  origin: string,
  into: Map<Token, Binding>,
  problems: Problem[],
): void {
  let binding: Binding
  try {
    binding = toBinding(source, origin)
  } catch (error) {
    problems.push(...(error as ConfigError).problems)
    return
  }
  const existing = into.get(binding.token)
  if (existing === undefined) into.set(binding.token, binding)
  else if (!isSameBinding(existing, binding)) problems.push(duplicateProvider(existing, binding))
}

function unknownExports(
  exports: readonly Token[],
  own: ReadonlyMap<Token, Binding>,
  name: string,
): Problem[] {
  return exports
    .filter((token) => !own.has(token))
    .map((token) => ({
      code: 'E_MODULE_INVALID',
      subject: name,
      cause: `It exports ${tokenName(token)}, which it does not provide.`,
      remedy: 'Add it to `providers` of this module, or remove it from `exports`.',
    }))
}

function invalidControllers({ controllers = [] }: Module, name: string): Problem[] {
  return controllers
    .filter((controller) => typeof controller !== 'function')
    .map((controller) => ({
      code: 'E_MODULE_INVALID',
      subject: name,
      cause: `${String(controller)} in its controllers is not a class. An undefined entry often results from a circular import.`,
      remedy: 'Pass controller classes.',
    }))
}

/** Returns the problem with a module, as a sentence; `null` if the module is valid. */
function mistakeOf(module: unknown): string | null {
  if (typeof module === 'function') {
    return `${module.name || 'It'} is a class, like a NestJS module, but Blazon does not read the lists in @Module().`
  }
  if (typeof module !== 'object' || module === null) {
    return `${String(module)} is not a module. An undefined entry often results from a circular import.`
  }
  if ('then' in module) return 'It is a promise of a module, but modules are not awaited.'
  if ('forwardRef' in module) return 'It is a NestJS forwardRef(), which Blazon does not resolve.'
  if ('module' in module) {
    const { name } = (module as { module: { name?: string } }).module ?? {}
    return `It is a NestJS dynamic module (${name}), but Blazon does not read the lists of its class.`
  }
  // Without this check, a class instance without module fields would count as an empty module.
  const isInstance = ![Object.prototype, null].includes(Object.getPrototypeOf(module))
  if (!isInstance || PARTS.some((part) => part in module)) return null
  return `It is an instance of ${module.constructor.name}, which has no fields of a module.`
}

const PARTS: readonly (keyof Module)[] = [
  'name',
  'imports',
  'providers',
  'controllers',
  'prefix',
  'exports',
]

function invalidModule(cause: string, where: string): Problem {
  return {
    code: 'E_MODULE_INVALID',
    subject: where,
    cause,
    remedy: 'Pass an object: { name?, imports?, providers?, controllers?, prefix?, exports? }.',
  }
}
