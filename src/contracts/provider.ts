// biome-ignore-start lint/suspicious/noExplicitAny: constructor parameters vary and are checked by the container, not by the type
/** Any class. */
export type Class<T = unknown> = new (...args: any[]) => T

/** A class that cannot be constructed itself; it may still name what is injected. */
export type AbstractClass<T = unknown> = abstract new (...args: any[]) => T
// biome-ignore-end lint/suspicious/noExplicitAny: as above

/** Names a dependency that is not a class; see `InjectionToken` in `di/token.ts`. */
export interface TokenLike<T = unknown> {
  readonly description: string
  /** Carries `T` for inference only. */
  readonly _type?: T
}

/** What a dependency is asked for by: a class, an `InjectionToken`, a string or a symbol. */
export type Token<T = unknown> = Class<T> | AbstractClass<T> | TokenLike<T> | string | symbol

/** A token, under the name the author prefers. */
type Named<T> = { readonly token: Token<T> } | { readonly provide: Token<T> }

/** Answers with an instance of a class. */
export type ClassProvider<T = unknown> = Named<T> & {
  /** The class; the container makes one instance of it. */
  readonly useClass: Class<T>
}

/** Answers with a value that exists already; its life is its maker's, so no lifecycle hook of it is called. */
export type ValueProvider<T = unknown> = Named<T> & {
  /** The value that is injected. */
  readonly useValue: T
}

/** Answers with what a function returns; a promise is awaited once, at boot. */
export type FactoryProvider<T = unknown> = Named<T> & {
  /** Makes the value, once, at boot. */
  // biome-ignore lint/suspicious/noExplicitAny: the arguments are the values of `inject`
  readonly useFactory: (...dependencies: any[]) => T | Promise<T>
  /** Tokens whose values the factory receives, in order. Default: none. */
  readonly inject?: readonly Token[]
}

/** Answers with what another token answers. */
export type ExistingProvider<T = unknown> = Named<T> & {
  /** The token whose value is injected. */
  readonly useExisting: Token<T>
}

/** How a dependency is made: a class, or an object that says so. */
export type Provider<T = unknown> =
  | Class<T>
  | ClassProvider<T>
  | ValueProvider<T>
  | FactoryProvider<T>
  | ExistingProvider<T>

/**
 * A part of an application. What a module provides can be injected everywhere, unless the module
 * lists `exports`: then the rest of its providers is private to it.
 *
 * @example
 * const users: Module = { name: 'users', providers: [UserService], controllers: [UsersController] }
 */
export interface Module {
  /** Used in error messages. Default: its place in the list. */
  readonly name?: string
  /** Modules that this one needs; each is taken in once, however often it is named. */
  readonly imports?: readonly Module[]
  /** What the module provides. Default: nothing. */
  readonly providers?: readonly Provider[]
  /** Controller classes of the module. Default: none. */
  readonly controllers?: readonly Class[]
  /** Tokens that stay visible to everyone. Default: all of them. */
  readonly exports?: readonly Token[]
}

/** What the container reads of a class before it makes one. */
export interface InjectionFacts {
  /** Whether the class may be made without being listed as a provider. */
  readonly injectable: boolean
  /** Tokens by constructor parameter. */
  readonly parameters: ReadonlyMap<number, Token>
  /** Fields that are set after construction. */
  readonly fields: readonly { readonly key: PropertyKey; readonly token: Token }[]
}

/** Providers and plugins may have these; `onClose` runs in the reverse order of construction. */
export interface Lifecycle {
  /** Called once everything is constructed, in order of construction. Awaited. */
  onInit?(): unknown
  /** Called when the application is ready to serve. Awaited. */
  onReady?(): unknown
  /** Called after the last response, while upgraded connections are open. Awaited. `signal` names the process signal, if one caused it. */
  onClose?(signal?: string): unknown
}
