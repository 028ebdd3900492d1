import { Container } from '@needle-di/core'
import type { Class, InjectionFacts, Token } from '../contracts/provider.js'
import { ConfigError } from '../errors/config-error.js'
import { asyncTokenOf, inChain, missingProvider, originOf, toProblems } from './chain.js'
import type { Binding } from './provider.js'
import { InjectionToken, tokenName } from './token.js'

/**
 * Reads the injection facts of a class. It is passed as a parameter, because this folder must not import the
 * decorators.
 */
export type ReadInjections = (target: Class) => InjectionFacts

/** The state that all injectors of one application share. */
interface Shared {
  readonly root: Injector
  readonly read: ReadInjections
  readonly overrides: ReadonlySet<Token>
  readonly made: Set<unknown>
  readonly requested: Set<Token>
  /** Private tokens of modules, with the names of the modules. */
  readonly kept: Map<Token, string>
  /** The tokens that are being created when `make` is called, outermost first. */
  constructing: readonly Constructing[]
}

/** A token that is being created, and the injector that provides it. */
interface Constructing {
  readonly owner: Injector
  readonly token: Token
}

/** For each error about an asynchronous provider, the injector that provides the token in the error. */
const owners = new WeakMap<object, Injector>()

/**
 * The token by which a container provides its injector. It is a registered symbol, because `@Inject` fields also use
 * it, and their folder cannot import this file.
 */
export const kInjector: symbol = Symbol.for('blazon.Injector')

/** Wraps the result of a factory, because needle-di would await a value that has a `then` method. */
class Made {
  constructor(readonly value: unknown) {}
}

type Factory = (...dependencies: unknown[]) => unknown

/**
 * The container of one application, built on needle-di. It also supports classes without a provider, and tokens for
 * constructor parameters. It adds the chain of tokens to errors, and lists all created instances in order.
 */
export class Injector {
  readonly #container: Container
  readonly #shared: Shared

  private constructor(container: Container, shared: Omit<Shared, 'root'> & { root?: Injector }) {
    this.#container = container
    this.#shared = shared.root === undefined ? { ...shared, root: this } : (shared as Shared)
    this.#container.bind({ provide: kInjector, useValue: this })
  }

  /** Creates the root injector of an application. Providers and exports do not replace the tokens in `overrides`. */
  static create(read: ReadInjections, overrides: ReadonlySet<Token> = new Set()): Injector {
    const sets = { made: new Set(), requested: new Set<Token>(), kept: new Map() }
    const shared = { read, overrides, ...sets, constructing: [] }
    return new Injector(new Container(), shared)
  }

  /** Creates an injector with its own providers and this injector as its parent. */
  createChild(): Injector {
    return new Injector(this.#container.createChild(), this.#shared)
  }

  /**
   * All constructed instances, dependencies before dependents. Values from `useValue` are not included, because they
   * belong to the application.
   */
  get made(): ReadonlySet<unknown> {
    return this.#shared.made
  }

  /** All tokens that have been requested so far. */
  get requested(): ReadonlySet<Token> {
    return this.#shared.requested
  }

  bind({ token, make }: Binding): void {
    if (this.#shared.overrides.has(token)) return
    if (make.kind === 'value') this.bindValue(token, make.value)
    else if (make.kind === 'class') this.#bindClass(token, make.class)
    else if (make.kind === 'existing') this.#bindSync(token, () => this.get(make.token))
    else this.#bindAsync(token, () => this.#create(make.create, make.inject))
  }

  /** Binds a value, replacing an earlier binding. */
  bindValue(token: Token, useValue: unknown): void {
    this.#container.bind({ provide: token as Class, useValue })
  }

  /** Records that a provider is private to a module, so that the error for a missing token can name the module. */
  keep({ token, origin }: Binding): void {
    this.#shared.kept.set(token, origin)
  }

  /** Binds a token to its value in another injector, for the exports of modules. */
  bindExport(token: Token, owner: Injector): void {
    if (!this.#shared.overrides.has(token)) this.#bindSync(token, () => owner.get(token))
  }

  /** Binds a class to itself in this injector, unless the class is already bound. */
  bindOwn(target: Class): void {
    if (!this.#container.has(target)) this.#bindClass(target, target)
  }

  /** Returns the instance of a token. Throws a `ConfigError` if the token has no provider. */
  get<T>(token: Token<T>): T
  get<T>(token: Token<T>, options: { readonly optional?: boolean } | undefined): T | undefined
  get<T>(token: Token<T>, options?: { readonly optional?: boolean }): T | undefined {
    this.#shared.requested.add(token)
    if (this.#isKnown(token)) return this.#getKnown(token)
    if (options?.optional === true) return undefined
    throw new ConfigError([missingProvider(token, this.#shared.kept.get(token))])
  }

  /** Like `get`, for callers outside a construction. Throws every error as a `ConfigError` with the chain of tokens. */
  resolve<T>(token: Token<T>): T {
    try {
      return this.get(token)
    } catch (error) {
      throw new ConfigError(toProblems(error), { cause: originOf(error) })
    }
  }

  /**
   * Creates the instance of a token, and waits for asynchronous factories. Afterwards, `get` returns the instance. The
   * promise does not resolve to the instance, because a promise calls the `then` method of its value, if there is one.
   */
  async make(token: Token): Promise<void> {
    // The chain is read before the first `await`, because `#wait` sets it only during a synchronous call.
    const { constructing } = this.#shared
    for (;;) {
      try {
        return void this.get(token)
      } catch (error) {
        const pending = asyncTokenOf(error)
        const owner = owners.get(error as object)
        if (pending === undefined || owner === undefined) throw error
        const isItself = pending === token && owner === this
        const chain = isItself ? constructing : [...constructing, { owner: this, token }]
        const wait = () => owner.#wait(pending, chain)
        await (isItself ? wait() : inChain(token, wait))
      }
    }
  }

  #getKnown<T>(token: Token<T>): T {
    try {
      const made: unknown = this.#container.get(token as Class)
      return (made instanceof Made ? made.value : made) as T
    } catch (error) {
      // The first injector that catches the error can provide the token. An injector that catches it later might not,
      // because the provider can be private to a module.
      const isFirst = asyncTokenOf(error) !== undefined && !owners.has(error as object)
      if (isFirst) owners.set(error as object, this)
      throw error
    }
  }

  /** Waits for an asynchronous provider. Rejects with the cycle if an outer call already waits for this provider. */
  #wait(token: Token, constructing: readonly Constructing[]): Promise<unknown> {
    const chain = [...constructing, { owner: this, token }]
    const first = chain.findIndex(
      (requested) => requested.owner === this && requested.token === token,
    )
    if (first < chain.length - 1) {
      const names = chain.slice(first).map((requested) => tokenName(requested.token))
      return Promise.reject(new Error(`Detected circular dependency: ${names.join(' -> ')}. `))
    }
    const before = this.#shared.constructing
    this.#shared.constructing = chain
    try {
      return this.#container.getAsync(token as Class)
    } finally {
      this.#shared.constructing = before
    }
  }

  /**
   * Whether the token has a provider, or the container can create it without a provider. In the second case, this
   * method binds the token in the root injector.
   */
  #isKnown(token: Token): boolean {
    if (this.#container.has(token as Class)) return true
    const { root, read } = this.#shared
    if (token instanceof InjectionToken) return root.#bindDefault(token)
    if (typeof token !== 'function' || !read(token as Class).injectable) return false
    root.bindOwn(token as Class)
    return true
  }

  /** Binds a token to its own `useFactory`, if it has one. */
  #bindDefault(token: InjectionToken<unknown>): boolean {
    const { useFactory } = token
    if (useFactory === undefined) return false
    this.#bindSync(token, () => inChain(token, () => this.#note(useFactory())))
    return true
  }

  #bindClass(token: Token, target: Class): void {
    const make = () =>
      this.#note(construct(target, this.#shared.read(target), (dependency) => this.get(dependency)))
    this.#bindSync(token, () => inChain(token, make))
  }

  #bindSync(token: Token, useFactory: () => unknown): void {
    this.#container.bind({ provide: token as Class, useFactory })
  }

  #bindAsync(token: Token, create: () => Promise<Made>): void {
    const useFactory = () => inChain(token, create)
    this.#container.bind({ provide: token as Class, async: true, useFactory })
  }

  async #create(create: Factory, inject: readonly Token[]): Promise<Made> {
    // All tokens are requested before the first `await`, because needle-di detects cycles only within the current tick.
    await Promise.all(inject.map((token) => this.make(token)))
    const result = create(...inject.map((token) => this.get(token)))
    const value = isPromise(result) ? await result : result
    if (value === undefined) throw new Error('the factory returned undefined')
    return new Made(this.#note(value))
  }

  #note<T>(instance: T): T {
    this.#shared.made.add(instance)
    return instance
  }
}

type Get = (token: Token) => unknown

/**
 * Creates an instance of a class. The tokens for constructor parameters come from `@Inject`, `static inject`, or the
 * types that `emitDecoratorMetadata` emitted. A parameter with a default value does not need a token.
 *
 * @throws ConfigError if a parameter has neither a token nor a default value.
 */
function construct(target: Class, facts: InjectionFacts, get: Get): unknown {
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
  // `length` is the number of parameters before the first parameter with a default value.
  for (let index = 0; index < Math.max(target.length, tokens.length); index++) {
    const isNeeded = index < target.length || stated.has(index)
    if (isNeeded && tokens[index] === undefined)
      throw unknownParameter(target, index, stated.has(index))
  }
  return [...tokens]
}

function unknownParameter(target: Class, index: number, isStated: boolean): ConfigError {
  const cause = isStated
    ? `The token of its constructor parameter ${index} is undefined, which often results from a circular import.`
    : `Its constructor parameter ${index} has neither a token nor a default value.`
  const remedy = isStated
    ? 'Remove the circular import, or move the code that both files need into a third file.'
    : 'Write a default value (= inject(Token)), `static inject = [Token]`, or @Inject(Token) with legacy decorators.'
  return new ConfigError([{ code: 'E_PROVIDER_MISSING', subject: target.name, cause, remedy }])
}

/**
 * Returns the parameter types that TypeScript's `emitDecoratorMetadata` emitted, if the application loaded a metadata
 * store.
 */
function designTypes(target: Class): (Token | undefined)[] {
  const { getMetadata } = Reflect as { getMetadata?: (key: string, target: object) => unknown }
  const types = getMetadata?.('design:paramtypes', target)
  if (!Array.isArray(types)) return []
  // Interfaces and primitives are emitted as `Object`, `String`, …, which are not tokens.
  return types.map((type) => (isNative(type) ? undefined : (type as Token)))
}

function isNative(type: unknown): boolean {
  return (
    type === undefined || (globalThis as Record<string, unknown>)[(type as Class).name] === type
  )
}

/**
 * Whether the result of a function is a promise. Other objects can also have a `then` method: awaiting such an object
 * would call the method, and might never end. Therefore, a promise must also have a `catch` method.
 */
export function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  const made = (value ?? {}) as Partial<Promise<T>>
  // `then` is checked first: a stand-in for tenant instances has no `then`. Without a tenant, it throws for all other
  // fields.
  return typeof made.then === 'function' && typeof made.catch === 'function'
}
