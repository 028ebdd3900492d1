import type { Handler, Request, RequestUser, RouteRequest } from './handler.js'
import type { Streamed } from './representation.js'
import type { RouteOptions } from './route-options.js'
import type { InferOutput, InputSource } from './schema.js'

// A standard decorator receives `(value, context)`, a legacy decorator `(target, key, descriptor)`, and a legacy
// parameter decorator `(target, key, index)`. Most decorators work in both dialects. Each type below lists the calls
// that its decorator accepts; any other call causes a compile error.

// biome-ignore-start lint/suspicious/noExplicitAny: a decorator must accept every class and method
type AnyMethod = (...args: any[]) => unknown
type AnyClass = abstract new (...args: any[]) => unknown

/** The context of a method that can handle a request. */
type MethodContext<M extends AnyMethod> = ClassMethodDecoratorContext<any, M> & OfInstance

/** The context of a field that can handle a request. */
type FieldContext<M extends AnyMethod> = ClassFieldDecoratorContext<any, M> & OfInstance

// These are interfaces instead of type literals, because the compiler would instantiate a literal for every route.
interface OfInstance {
  readonly static: false
  readonly private: false
}

interface WithAnyUser {
  user: any
}

/** Decorates a class, in both dialects. */
export type DualClassDecorator = (target: AnyClass, context?: ClassDecoratorContext<any>) => void

/** Decorates a method but not a field, in both dialects. */
export interface MethodOnlyDecorator {
  (value: AnyMethod, context: MethodContext<any>): void
  (target: object, key: PropertyKey, descriptor: TypedPropertyDescriptor<any>): void
}

/** Decorates, in both dialects, a method, or a field whose value is a function, such as the result of `get()`. */
export interface DualMethodDecorator extends MethodOnlyDecorator {
  (value: undefined, context: FieldContext<AnyMethod>): void
  (target: object, key: PropertyKey, noDescriptor?: undefined): void
}

/** Decorates a class or a method, in both dialects. */
export interface DualClassOrMethodDecorator extends DualMethodDecorator {
  (target: AnyClass, context?: ClassDecoratorContext<any>): void
}

/** Decorates a handler parameter, in the legacy dialect only. */
export type LegacyParameterDecorator = (
  target: object,
  key: string | symbol | undefined,
  index: number,
) => void

/**
 * A handler that accepts `TRequest` with any type of user. An input decorator does not restrict this type, because
 * `@Auth()` and `auth.default` determine whether there is a user.
 */
type Taking<TRequest extends Request> = Handler<TRequest & WithAnyUser>

/**
 * The type of the third argument of a legacy decorator: the index of a parameter that can hold `TValue`, or the
 * descriptor of a handler that can accept `TRequest`. It is one type instead of two overloads, because TypeScript 7
 * reports only the error of the last overload.
 */
type LegacyPlace<TRequest extends Request, TValue, TMethod, TPlace> = TPlace extends number
  ? TMethod extends (...args: infer TArgs) => unknown
    ? [TValue] extends [TArgs[TPlace]]
      ? TPlace
      : Mismatch<TArgs[TPlace], TValue>
    : never
  : TPlace extends TypedPropertyDescriptor<infer M extends Taking<TRequest>>
    ? TypedPropertyDescriptor<M>
    : TypedPropertyDescriptor<Taking<TRequest>>

/** No value has this type. A compile error shows its name and its type arguments. */
interface Mismatch<TParameter, TValue> {
  readonly parameter: TParameter
  readonly schema: TValue
}

/**
 * Decorates a handler that must accept `TRequest`, or, in the legacy dialect, a parameter that must be able to hold
 * `TValue`. If the handler or the parameter does not match the schema, a compile error occurs.
 */
export interface InputDecorator<TRequest extends Request, TValue> {
  <M extends Taking<TRequest>>(value: M, context: MethodContext<M>): void
  <T extends object, K extends PropertyKey, TPlace>(
    target: T,
    key: K,
    place: LegacyPlace<TRequest, TValue, T[K & keyof T], TPlace>,
  ): void
}

/** The type that a handler declares for one key in a part of its request; `any` without a declaration. */
type Expected<M, TPart extends InputSource, K extends string> = M extends (
  req: infer R,
  ...rest: never[]
) => unknown
  ? KeyOf<TPart extends 'headers' | 'cookies' ? ValidatedPartOf<R, TPart> : PartOf<R, TPart>, K>
  : any

type PartOf<R, TPart extends InputSource> = R extends { readonly [P in TPart]: infer V } ? V : any

type ValidatedPartOf<R, TPart extends InputSource> = R extends {
  readonly validated: { readonly [P in TPart]: infer V }
}
  ? V
  : any

type KeyOf<TWhole, K extends string> = K extends keyof TWhole ? TWhole[K] : any

type KeyPlace<TPart extends InputSource, K extends string, TValue, M, TPlace> = [TValue] extends [
  Expected<M, TPart, K>,
]
  ? TPlace
  : Mismatch<Expected<M, TPart, K>, TValue>

/**
 * Decorates a handler that must accept `TValue` under the key `K` in one part of its request, or, in the legacy
 * dialect, a parameter that must be able to hold `TValue`.
 */
export interface KeyDecorator<TPart extends InputSource, K extends string, TValue> {
  <M extends AnyMethod>(value: M, context: KeyPlace<TPart, K, TValue, M, MethodContext<M>>): void
  <T extends object, N extends PropertyKey, TPlace>(
    target: T,
    key: N,
    place: TPlace extends number
      ? LegacyPlace<Request, TValue, T[N & keyof T], TPlace>
      : KeyPlace<TPart, K, TValue, T[N & keyof T], TPlace>,
  ): void
}

/** The data that a handler returns; `never` with a parameter `res`, because it can then send the response itself. */
type Returned<M> = M extends (...args: infer A) => infer R
  ? A['length'] extends 0 | 1
    ? Exclude<Awaited<R>, AsyncIterable<unknown>>
    : never
  : never

/** The schema fields that the data lacks, or that have another type in the data. */
type WrongField<R, S> = {
  [K in keyof S]-?: K extends keyof R
    ? [R[K]] extends [S[K]]
      ? never
      : K
    : undefined extends S[K]
      ? never
      : K
}[keyof S] &
  string

type FieldAdvice<R, K extends string> = K extends keyof R
  ? `The type of \`${K}\` that the handler returns differs from the schema of \`returns\`.`
  : `The handler does not return \`${K}\`, which the schema of \`returns\` requires.`

type WrongData<R, S> = [R] extends [readonly (infer A)[]]
  ? [S] extends [readonly (infer B)[]]
    ? WrongData<A, B>
    : 'The handler returns a list, but the schema of `returns` does not describe one.'
  : [S] extends [readonly unknown[]]
    ? 'The schema of `returns` describes a list, but the handler does not return one.'
    : [R, S] extends [object, object]
      ? FieldAdvice<R, WrongField<R, S>>
      : 'The type that the handler returns differs from the schema of `returns`.'

/**
 * The reason why data does not match `returns`. No value has this type, so a compile error contains only the message.
 */
export type WrongReturn<
  R,
  S,
  TNone extends null | undefined = Extract<Exclude<R, S>, null | undefined>,
> = [TNone] extends [never]
  ? WrongData<Exclude<R, null | undefined>, Exclude<S, null | undefined>>
  : `The handler can return ${TNone}, which the schema of \`returns\` does not allow.`

/** `TPlace` if the returned data matches the output type of the schema `returns`; otherwise an error message. */
type ReturnPlace<I extends RouteOptions, M, TPlace> = I extends { readonly returns: infer S }
  ? [Returned<M>] extends [InferOutput<S>]
    ? TPlace
    : NoInfer<WrongReturn<Returned<M>, InferOutput<S>>>
  : TPlace

type Part = 'params' | 'query' | 'headers' | 'cookies' | 'body' | 'page'

/** The parts of the request whose expected and actual types differ. */
type WrongPart<TGiven, TExpected> = {
  [P in Part]: P extends keyof TExpected
    ? P extends keyof TGiven
      ? [TGiven[P]] extends [TExpected[P]]
        ? never
        : P
      : P
    : never
}[Part]

type WrongOf<I extends RouteOptions, R> = R extends { readonly validated: infer V }
  ? WrongPart<RouteRequest<I>['validated'], V>
  : WrongPart<RouteRequest<I>, R>

type Declared<I> =
  | keyof I
  | ('upload' extends keyof I ? 'body' : never)
  | ('paged' extends keyof I ? 'page' | 'query' : never)

type Named<P extends Part> = P extends 'body' ? '`body` or `upload`' : `\`${P}\``

type PageAdvice =
  'The handler reads `page`: add `paged` to the options of the route, or declare all parts with decorators, including @Paged.'

type Advice<P extends Part, TDeclared> =
  'page' extends Exclude<P, TDeclared>
    ? PageAdvice
    : P extends TDeclared
      ? `The request type of the handler and the options of the route differ in ${Named<P>}.`
      : `The options of the route lack ${Named<P>}, which the handler reads: add it to the options, or declare all parts with decorators.`

type UnknownPart<TPart> = [TPart] extends [never]
  ? 'The parameters of the handler must be the request, the response and `next` of its route.'
  : TPart extends 'page'
    ? PageAdvice
    : `The handler reads \`${TPart & string}\`, which its request does not have.`

/**
 * The reason why a handler does not match its route. No value has this type, so a compile error contains only the
 * message.
 */
type Misfit<I extends RouteOptions, M> = M extends (req: infer R, ...rest: any) => unknown
  ? [WrongOf<I, R>] extends [never]
    ? UnknownPart<Exclude<keyof R, keyof RouteRequest<I>>>
    : Advice<WrongOf<I, R>, Declared<I>>
  : 'A route must be a method.'

/** `TPlace` if a method can handle the requests of a route. */
type RoutePlace<I extends RouteOptions, M, TPlace> =
  M extends Taking<RouteRequest<I>> ? TPlace : NoInfer<Misfit<I, M>>

/**
 * Decorates a handler. Its request type must accept everything that the options of the route declare, and require
 * nothing else. Its data must match the option `returns`. A valid handler matches one of the first two signatures,
 * which the compiler checks fastest. For an invalid handler, TypeScript 7 reports only the error of the last signature.
 */
export interface RouteDecorator<I extends RouteOptions> {
  <M extends Taking<RouteRequest<I>>>(value: M, context: ReturnPlace<I, M, MethodContext<M>>): void
  <M extends Taking<RouteRequest<I>>>(
    target: object,
    key: PropertyKey,
    descriptor: ReturnPlace<I, M, TypedPropertyDescriptor<M>>,
  ): void
  <T, M>(
    target: T,
    place: NoInfer<
      T extends AnyMethod ? RoutePlace<I, T, ReturnPlace<I, T, MethodContext<any>>> : PropertyKey
    >,
    ...rest: T extends AnyMethod
      ? []
      : [descriptor: RoutePlace<I, M, ReturnPlace<I, M, TypedPropertyDescriptor<M>>>]
  ): void
}

/** Decorates a handler, such as an `async function*`, that returns an async iterable of `TItem`. */
export interface StreamDecorator<TItem> {
  <M extends (...args: any[]) => Streamed<TItem>>(value: M, context: MethodContext<M>): void
  (value: undefined, context: FieldContext<(...args: any[]) => Streamed<TItem>>): void
  <M extends (...args: any[]) => Streamed<TItem>>(
    target: object,
    key: PropertyKey,
    descriptor?: TypedPropertyDescriptor<M>,
  ): void
}

/** Decorates, in the legacy dialect, a handler parameter that must be able to hold `TValue`. */
export type ValueDecorator<TValue> = <T extends object, N extends PropertyKey, TPlace>(
  target: T,
  key: N,
  place: TPlace extends number ? LegacyPlace<Request, TValue, T[N & keyof T], TPlace> : TPlace,
) => void

/**
 * The index of a parameter that can hold the user, or whose type has more fields than `User`. The type of a parameter
 * can therefore be the application's own user class, even if `User` does not declare the fields of that class.
 */
type UserPlace<TMethod, TPlace extends number> = TMethod extends (...args: infer TArgs) => unknown
  ? [NonNullable<RequestUser>] extends [TArgs[TPlace]]
    ? TPlace
    : [NonNullable<TArgs[TPlace]>] extends [NonNullable<RequestUser>]
      ? TPlace
      : Mismatch<TArgs[TPlace], RequestUser>
  : never

/** Decorates, in the legacy dialect, a handler parameter that receives the user. */
export type UserDecorator = <T extends object, N extends PropertyKey, TPlace extends number>(
  target: T,
  key: N,
  place: UserPlace<T[N & keyof T], TPlace>,
) => void

/** Decorates a field in both dialects, and a constructor parameter in the legacy dialect. */
export interface InjectDecorator {
  (value: undefined, context: ClassFieldDecoratorContext<any, any>): (initial: any) => any
  (target: object, key: string | symbol | undefined, index?: number): void
}
// biome-ignore-end lint/suspicious/noExplicitAny: as above
