import type { Handler, Request } from './handler.js'

// One decorator, two dialects: a standard decorator receives `(value, context)`, a legacy one
// `(target, key, descriptor)`, and a legacy parameter decorator `(target, key, index)`. Each type below lists
// the calls that its decorator understands; any other call is a compile error.

// biome-ignore-start lint/suspicious/noExplicitAny: a decorator must accept every class and method
type AnyMethod = (...args: any[]) => unknown
type AnyClass = abstract new (...args: any[]) => unknown

/** Decorates a class, in both dialects. */
export type DualClassDecorator = (target: AnyClass, context?: ClassDecoratorContext<any>) => void

/** Decorates a method, in both dialects. */
export interface DualMethodDecorator {
  (value: AnyMethod, context: ClassMethodDecoratorContext<any, any>): void
  (target: object, key: PropertyKey, descriptor: TypedPropertyDescriptor<any>): void
}

/** Decorates a class or a method, in both dialects. */
export interface DualClassOrMethodDecorator extends DualMethodDecorator {
  (target: AnyClass, context?: ClassDecoratorContext<any>): void
}

/** Decorates a handler parameter; exists in the legacy dialect only. */
export type LegacyParameterDecorator = (
  target: object,
  key: string | symbol | undefined,
  index: number,
) => void

/** The type of parameter number `I` of a method. */
type ParameterAt<M, I extends number> = M extends (...args: infer TArgs) => unknown
  ? TArgs[I]
  : never

/**
 * Decorates a handler whose request must be able to hold `TRequest`, or, in the legacy dialect, a
 * parameter that must be able to hold `TValue`. A handler that disagrees with its schema is a
 * compile error.
 */
export interface InputDecorator<TRequest extends Request, TValue> {
  <M extends Handler<TRequest>>(value: M, context: ClassMethodDecoratorContext<any, M>): void
  <M extends Handler<TRequest>>(
    target: object,
    key: PropertyKey,
    descriptor: TypedPropertyDescriptor<M>,
  ): void
  <T extends object, K extends keyof T, I extends number>(
    target: T,
    key: K,
    index: TValue extends ParameterAt<T[K], I> ? I : never,
  ): void
}

/** Decorates a field in both dialects, and a constructor parameter in the legacy one. */
export interface InjectDecorator {
  (value: undefined, context: ClassFieldDecoratorContext<any, any>): (initial: any) => any
  (target: object, key: string | symbol | undefined, index?: number): void
}
// biome-ignore-end lint/suspicious/noExplicitAny: as above
