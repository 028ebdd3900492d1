import { Container } from '@needle-di/core'
import type { Class } from '../contracts/provider.js'
import { kInjector } from './injector.js'

/** The parameters for constructing a class without its dependencies. */
export interface StandInConstruction {
  /** The class whose constructor runs: the class itself, or one of its base classes. */
  readonly constructs: Class
  /** The number of constructor arguments. */
  readonly parameters: number
}

/**
 * Constructs a class without its dependencies, to read its fields. `inject()` returns a stand-in, and all constructor
 * arguments are stand-ins, so no provider of the application is created.
 *
 * @param target The class of the instance. If `constructs` is a base class, its constructor can call the methods of
 * this class.
 * @throws the error that the constructor throws.
 */
export function constructWithStandIns(
  target: Class,
  { constructs, parameters }: StandInConstruction,
): object {
  const standIn = makeStandIn()
  const container = new Container()
  container.bind({ provide: kInjector, useValue: { get: () => standIn } })
  const args = Array.from({ length: parameters }, () => standIn)
  const make = () => Reflect.construct(constructs, args, target) as object
  return container.runInInjectionContext(make)
}

/**
 * Creates a value that constructors can use in place of any dependency: each of its properties and call results is the
 * value itself. Awaiting it never ends, so that asynchronous code in a constructor stops at that point.
 */
function makeStandIn(): object {
  function injected() {}
  const standIn: object = new Proxy(injected, {
    // Operators such as `+` throw for an object that cannot be converted to a primitive value.
    get: (_, key) => (key === Symbol.toPrimitive ? toPrimitive : standIn),
    set: () => true,
    apply: () => standIn,
    construct: () => standIn,
  })
  return standIn
}

/** Returns a primitive value. The string shows in messages that the value is a stand-in. */
function toPrimitive(hint: string): number | string {
  return hint === 'number' ? 0 : 'injected'
}
