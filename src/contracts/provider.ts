// biome-ignore-start lint/suspicious/noExplicitAny: constructor parameters vary and are checked by the container, not by the type
/** Any class. */
export type Class<T = unknown> = new (...args: any[]) => T

/** An abstract class. It cannot be constructed, but it can be a token. */
export type AbstractClass<T = unknown> = abstract new (...args: any[]) => T
// biome-ignore-end lint/suspicious/noExplicitAny: as above

/** Identifies a dependency that is not a class; see `InjectionToken` in `di/token.ts`. */
export interface TokenLike<T = unknown> {
  readonly description: string
  /** Never set. The compiler infers `T` from this member. */
  readonly _type?: T
}

/** The key of a dependency: a class, an `InjectionToken`, a string or a symbol. */
export type Token<T = unknown> = Class<T> | AbstractClass<T> | TokenLike<T> | string | symbol

/** An object with a token in the field `token` or `provide`. */
type Named<T> = { readonly token: Token<T> } | { readonly provide: Token<T> }

/** Provides an instance of a class. */
export type ClassProvider<T = unknown> = Named<T> & {
  /** The class; the container creates one instance of it. */
  readonly useClass: Class<T>
}

/** Provides an existing value. The program owns the value, so the application does not call its lifecycle hooks. */
export type ValueProvider<T = unknown> = Named<T> & {
  /** The value that is injected. */
  readonly useValue: T
}

/** Provides the value that a function returns. A promise is awaited once, at boot. */
export type FactoryProvider<T = unknown> = Named<T> & {
  /** Creates the value once, at boot. */
  // biome-ignore lint/suspicious/noExplicitAny: the arguments are the values of `inject`
  readonly useFactory: (...dependencies: any[]) => T | Promise<T>
  /** Tokens whose values the factory receives, in order. Default: none. */
  readonly inject?: readonly Token[]
}

/** Provides the value of another token. */
export type ExistingProvider<T = unknown> = Named<T> & {
  /** The token whose value is injected. */
  readonly useExisting: Token<T>
}

/** Describes how the container creates a dependency: a class, or an object with a token. */
export type Provider<T = unknown> =
  | Class<T>
  | ClassProvider<T>
  | ValueProvider<T>
  | FactoryProvider<T>
  | ExistingProvider<T>

/**
 * A part of an application. Its providers can be injected everywhere. If the module lists `exports`, all other
 * providers are private to the module.
 *
 * @example
 * const users: Module = { name: 'users', providers: [UserService], controllers: [UsersController] }
 */
export interface Module {
  /** The name of the module in error messages. Default: its position in the list. */
  readonly name?: string
  /** Modules that this module needs. Each module is added once, even if several modules import it. */
  readonly imports?: readonly Module[]
  /** The providers of the module. Default: none. */
  readonly providers?: readonly Provider[]
  /** Controller classes of the module. Default: none. */
  readonly controllers?: readonly Class[]
  /**
   * A path prefix for the module's own controllers, after the `prefix` of the application. It can contain `:param`
   * segments. It does not apply to the controllers of imported modules. Default: none.
   */
  readonly prefix?: string
  /** The tokens of this module that every class can inject. Default: all tokens. */
  readonly exports?: readonly Token[]
}

/** The facts about a class that the container reads before it creates an instance. */
export interface InjectionFacts {
  /** Whether the container is allowed to create an instance of the class without a provider. */
  readonly injectable: boolean
  /** The tokens of the constructor parameters, by position. */
  readonly parameters: ReadonlyMap<number, Token>
  /** Fields that the container sets after construction. */
  readonly fields: readonly { readonly key: PropertyKey; readonly token: Token }[]
}

/**
 * Hooks of providers and plugins. `onClosing` runs concurrently for all providers and plugins; `onClose` runs in the
 * reverse order of construction.
 */
export interface Lifecycle {
  /** The framework calls this method after all instances are constructed, in the same order. A promise is awaited. */
  onInit?(): unknown
  /** The framework calls this method when the application is ready to serve requests. A promise is awaited. */
  onReady?(): unknown
  /**
   * The framework calls this method when the application begins to close, while requests are still running. Use it to
   * end other work, such as jobs or queue consumers. A returned promise is awaited before any `onClose` is called, for
   * at most `timeouts.close` plus `timeouts.onClose`. The argument is the time limit for requests, `timeouts.close`, in
   * milliseconds.
   */
  onClosing?(graceMs: number): unknown
  /**
   * The framework calls this method after the last response, while upgraded connections are still open. A promise is
   * awaited. `signal` is the name of the process signal that closes the application, if any.
   */
  onClose?(signal?: string): unknown
}
