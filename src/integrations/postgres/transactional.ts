import { ConfigError, Inject, type MethodOnlyDecorator, type RouteModel } from '../../index.js'
import { Database } from './database.js'
import { checkTransactionOptions, type TransactionOptions } from './sessions/transaction-options.js'

/** The property of an object that holds its database. The container sets it. */
const kDatabase = Symbol('blazon.database')
/** The property that holds the options, on the function that replaces a decorated method. */
const kTransactional = Symbol('blazon.transactional')

type Method = (...args: unknown[]) => unknown

/**
 * Runs every call of a method in one transaction, like {@link Database.transaction}. On a handler, the transaction is
 * committed before the first byte of the response. On an `async *` method, the transaction lasts until the generator
 * ends, as in {@link Database.stream}. The container must create the object, so its class must be a controller or a
 * provider.
 *
 * @param options `isolation`, and `retries` after a conflict with other transactions. On a handler, these options apply
 * to the request's transaction: the handler runs again before the first byte of the response, and the request keeps the
 * changes that the earlier attempt made to it.
 * @throws ConfigError if it decorates a generator method without `async` or anything other than an instance method, if
 * an option is invalid, or if `retries` is set on an `async *` method, because its items cannot be withdrawn. The
 * method throws an `Error` if the container did not create its object.
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
export function Transactional(options?: TransactionOptions): MethodOnlyDecorator
export function Transactional(...args: unknown[]): MethodOnlyDecorator {
  const [options = {}] = args
  if (args.length > 1 || typeof options !== 'object' || options === null)
    throw misused(nameOf(args), WITHOUT_PARENTHESES)
  checkTransactionOptions('@Transactional()', options)
  const decorator = (...target: [unknown, unknown, unknown?]) => decorate(target, options)
  return decorator as MethodOnlyDecorator
}

function decorate(
  [first, second, third]: [unknown, unknown, unknown?],
  options: TransactionOptions,
): unknown {
  if (isStandardContext(second)) {
    const { kind, name } = second
    if (kind !== 'method' || second.static || second.private) throw misused(name, NO_METHOD)
    const field = { kind: 'field', name: kDatabase, static: false } as ClassFieldDecoratorContext
    const initial = Inject(Database)(undefined, field)
    second.addInitializer(function (this: unknown) {
      Object.defineProperty(this, kDatabase, { value: initial(undefined), configurable: true })
    })
    return inTransaction(first as Method, options)
  }
  const descriptor = third as TypedPropertyDescriptor<Method> | undefined
  if (typeof first !== 'object' || first === null || typeof descriptor?.value !== 'function') {
    throw misused(nameOf([first, second]), NO_METHOD)
  }
  Inject(Database)(first, kDatabase)
  return { ...descriptor, value: inTransaction(descriptor.value, options) }
}

/** Whether a decorator was called with the standard arguments `(value, context)`. */
function isStandardContext(value: unknown): value is DecoratorContext {
  return typeof value === 'object' && value !== null && 'kind' in value && 'name' in value
}

const NO_METHOD = 'it can only decorate an instance method.'
const SYNC_GENERATOR = 'a generator function would run only after its transaction: write `async *`.'
const RETRIED_STREAM = 'the items of a stream cannot be withdrawn: omit `retries`.'
const WITHOUT_PARENTHESES = 'it is written without parentheses, so it would never take effect.'

function misused(name: unknown, cause: string): ConfigError {
  const problem = {
    code: 'E_DECORATOR_TARGET',
    subject: String(name),
    cause: `@Transactional is on ${String(name)}, but ${cause}`,
    remedy: 'Write @Transactional() on a method.',
  } as const
  return new ConfigError([problem])
}

/**
 * Returns the name of the decorated class or member from a decorator's arguments, for standard and legacy decorators.
 */
function nameOf([first, second]: readonly unknown[]): unknown {
  if (isStandardContext(second)) return second.name
  const { name } = typeof first === 'function' ? first : { name: '' }
  return second === undefined ? name : [name, String(second)].filter(Boolean).join('.')
}

interface Decorated {
  readonly [kDatabase]?: Database
}

/** Wraps a method. The wrapper keeps the method's name and number of parameters. */
function inTransaction(method: Method, options: TransactionOptions): Method {
  const kind = Object.prototype.toString.call(method)
  if (kind === '[object GeneratorFunction]') throw misused(method.name, SYNC_GENERATOR)
  const isStream = kind === STREAM
  if (isStream && (options.retries ?? 0) > 0) throw misused(method.name, RETRIED_STREAM)
  const wrapper = isStream ? streamed(method, options) : whole(method, options)
  return Object.defineProperties(wrapper, {
    name: { value: method.name, configurable: true },
    length: { value: method.length, configurable: true },
    [kTransactional]: { value: options },
    // At boot, this tag marks a handler that streams.
    ...(isStream && { [Symbol.toStringTag]: { value: 'AsyncGeneratorFunction' } }),
  })
}

const STREAM = '[object AsyncGeneratorFunction]'

function whole(method: Method, options: TransactionOptions): Method {
  return async function transactional(this: Decorated, ...args: unknown[]) {
    return databaseOf(this, method).transaction(() => method.apply(this, args), options)
  }
}

/** Wraps an async generator. The generator runs while it is being read, so the transaction ends with the generator. */
function streamed(method: Method, { isolation }: TransactionOptions): Method {
  return function transactional(this: Decorated, ...args: unknown[]) {
    const open = () => method.apply(this, args) as AsyncIterable<unknown>
    return databaseOf(this, method).stream(open, isolation === undefined ? {} : { isolation })
  }
}

function databaseOf(object: Decorated | undefined, { name }: Method): Database {
  const database = object?.[kDatabase]
  if (database !== undefined) return database
  throw new Error(
    `@Transactional() on ${name}: the container did not create the object, so the object has no database. List the class of the object in providers or controllers, and postgres() in plugins.`,
  )
}

/** Returns the options of `@Transactional()` on the handler of a route; `null` without the decorator. */
export function transactionalOf({ stack }: RouteModel): TransactionOptions | null {
  const method = stack[0]?.handle
  if (typeof method !== 'function') return null
  return (method as { readonly [kTransactional]?: TransactionOptions })[kTransactional] ?? null
}
