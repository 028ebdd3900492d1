/** Whether two types are the same, and not merely assignable to each other; intersections are flattened first. */
export type Equal<A, B> =
  (<T>() => T extends Flat<A> ? 1 : 2) extends <T>() => T extends Flat<B> ? 1 : 2 ? true : false

// biome-ignore lint/suspicious/noExplicitAny: the one type that must not be flattened into an object
type Flat<T> = 0 extends 1 & T ? any : T extends object ? { [K in keyof T]: Flat<T[K]> } : T

/** A compile error unless its argument is `true`. */
export type Expect<T extends true> = T
