import type { DualMethodDecorator } from '../../contracts/decorator.js'
import type { RouteModel } from '../../index.js'
import { injectField } from '../../metadata/injectable.js'
import { isStandardContext, misplaced, refuseBare, writeFieldToken } from '../../metadata/write.js'
import { Database } from './database.js'

/** Where an object that the container has made keeps its database. */
const kDatabase = Symbol('blazon.database')
/** On what a decorated method has become. */
const kTransactional = Symbol('blazon.transactional')

type Method = (...args: unknown[]) => unknown

/**
 * Makes every call of a method one transaction, as {@link Database.transaction}: on a handler, it is committed before the first byte of the answer. The class
 * must be made by the container, from a controller or a provider.
 *
 * @throws ConfigError on anything else than a method; an `Error` when a method of an object is called that the container has not made.
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

/** With the name and the parameters of the method, which others read. */
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

/** Whether the handler of a route is a transaction. */
export function isTransactional({ controller, handler }: RouteModel): boolean {
  const method: unknown = (controller.prototype as Record<PropertyKey, unknown>)[handler]
  return typeof method === 'function' && kTransactional in method
}
