import type { DualMethodDecorator, RouteModel } from '../../index.js'
import { injectField } from '../../metadata/injectable.js'
import { isStandardContext, misplaced, refuseBare, writeFieldToken } from '../../metadata/write.js'
import { Database } from './database.js'

/** The property of an object that holds its database. The container sets it. */
const kDatabase = Symbol('blazon.database')
/** Marks the function that replaces a decorated method. */
const kTransactional = Symbol('blazon.transactional')

type Method = (...args: unknown[]) => unknown

/**
 * Runs every call of a method in one transaction, like {@link Database.transaction}. On a handler,
 * the transaction is committed before the first byte of the response. The container must create the
 * object, so its class must be a controller or a provider.
 *
 * @throws ConfigError when it decorates anything other than a method. The method throws an `Error`
 * when the container did not create its object.
 * @example
 * class Transfers {
 *   private readonly accounts = inject(Accounts)
 *
 *   @Transactional()
 *   async transfer(from: number, to: number, amount: number) {
 *     await this.accounts.withdraw(from, amount)
 *     await this.accounts.deposit(to, amount)
 *   }
 * }
 */
export function Transactional(): DualMethodDecorator
export function Transactional(...args: unknown[]): DualMethodDecorator {
  refuseBare('@Transactional', args[0], args[1])
  return decorate as DualMethodDecorator
}

function decorate(first: unknown, second: unknown, third?: unknown): unknown {
  if (isStandardContext(second)) {
    if (second.kind !== 'method' || second.static || second.private) throw onlyMethods(second.name)
    second.addInitializer(function (this: unknown) {
      Object.defineProperty(this, kDatabase, { value: injectField(Database), configurable: true })
    })
    return inTransaction(first as Method)
  }
  const descriptor = third as TypedPropertyDescriptor<Method> | undefined
  if (typeof first !== 'object' || first === null || typeof descriptor?.value !== 'function') {
    throw onlyMethods(second)
  }
  writeFieldToken(first, kDatabase, Database)
  return { ...descriptor, value: inTransaction(descriptor.value) }
}

function onlyMethods(name: unknown): Error {
  return misplaced('@Transactional()', String(name), ['method'])
}

/**
 * Wraps a method. The wrapper gets its name and its number of parameters, which other code reads.
 */
function inTransaction(method: Method): Method {
  async function transactional(this: { [kDatabase]?: Database }, ...args: unknown[]) {
    const database = this?.[kDatabase]
    if (database === undefined) {
      throw new Error(
        `@Transactional() on ${method.name}: the container did not create its object, so the object has no database. List its class in providers or controllers, and postgres() in plugins.`,
      )
    }
    return database.transaction(() => method.apply(this, args))
  }
  return Object.defineProperties(transactional as Method, {
    name: { value: method.name, configurable: true },
    length: { value: method.length, configurable: true },
    [kTransactional]: { value: true },
  })
}

/** Whether the handler of a route is decorated with `@Transactional()`. */
export function isTransactional({ controller, handler }: RouteModel): boolean {
  const method: unknown = (controller.prototype as Record<PropertyKey, unknown>)[handler]
  return typeof method === 'function' && kTransactional in method
}
