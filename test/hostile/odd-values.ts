import { Readable } from 'node:stream'
import { runInNewContext } from 'node:vm'
import { HttpError, NotFoundError } from 'blazon'

const boom = (): never => {
  throw new Error('a trap')
}

const TRAPS = [
  ...['apply', 'construct', 'defineProperty', 'deleteProperty', 'get', 'getOwnPropertyDescriptor'],
  ...['getPrototypeOf', 'has', 'isExtensible', 'ownKeys', 'preventExtensions', 'set'],
  'setPrototypeOf',
]

const trapping = (target: object, names: readonly string[] = TRAPS) =>
  new Proxy(target, Object.fromEntries(names.map((name) => [name, boom])))

/** An object with a field that throws when it is read. */
const withTrap = (name: PropertyKey, target: object = {}) =>
  Object.defineProperty(target, name, { get: boom, enumerable: true, configurable: true })

/** An object whose method throws. */
const withBomb = (name: PropertyKey, target: object = {}) =>
  Object.defineProperty(target, name, { value: boom, enumerable: true })

function revoked(target: object): object {
  const { proxy, revoke } = Proxy.revocable(target, {})
  revoke()
  return proxy
}

function circular(): object {
  const self: Record<string, unknown> = {}
  self['self'] = self
  return self
}

function detached(): ArrayBuffer {
  const buffer = new ArrayBuffer(8)
  structuredClone(buffer, { transfer: [buffer] })
  return buffer
}

function patchedPromise(then: unknown): Promise<unknown> {
  return Object.assign(Promise.resolve(false), { then })
}

class WithoutSpecies extends Promise<unknown> {
  static override get [Symbol.species](): PromiseConstructor {
    throw new Error('a trap')
  }
}

type Settle = (value: unknown) => void
const thenable = (then: (resolve: Settle, reject: Settle) => void) => ({ then })

const FIELDS = [
  ...['status', 'statusCode', 'headers', 'errors', 'code', 'message', 'stack', 'name', 'cause'],
  ...['expose', 'then', 'toJSON', 'constructor', 'id', 'sub', 'permissions', 'roles', 'length'],
  ...['issues', 'isAllowed', 'isHttpError'],
]

const SYMBOLS = [Symbol.toPrimitive, Symbol.toStringTag, Symbol.iterator, Symbol.hasInstance]

/**
 * Values that a program may pass by mistake: they look like other values, cannot be read, or run code when they are
 * read. Each is made anew, because some can be used only once. None is `true`, or resolves to `true`.
 */
export const ODD_VALUES: Readonly<Record<string, () => unknown>> = {
  undefined: () => undefined,
  null: () => null,
  false: () => false,
  '0': () => 0,
  '-0': () => -0,
  '1': () => 1,
  NaN: () => Number.NaN,
  infinity: () => Number.POSITIVE_INFINITY,
  'a large number': () => 1e308,
  'a bigint': () => 10n ** 40n,
  'a symbol': () => Symbol('odd'),
  'an empty string': () => '',
  "'true'": () => 'true',
  "'route'": () => 'route',
  "'router'": () => 'router',
  "'__proto__'": () => '__proto__',
  'a line break': () => 'a\r\nX-Injected: 1\r\n\r\nb',
  'a lone surrogate': () => '\ud800',
  'a zero byte': () => 'a\0b',
  'a long string': () => 'x'.repeat(200_000),
  'a boxed true': () => Object(true),
  'a boxed string': () => Object('x'),
  'a boxed symbol': () => Object(Symbol('odd')),
  'an empty object': () => ({}),
  'no prototype': () => Object.create(null),
  'a __proto__ of null': () => ({ __proto__: null, status: 200, id: 'x' }),
  'an own __proto__': () => JSON.parse('{"__proto__":{"status":404,"isAllowed":true}}'),
  'a list': () => [true],
  'a sparse list': () => new Array(50),
  'a huge list': () => new Array(100_000).fill(0),
  'a trapping list': () => trapping([]),
  'a frozen object': () => Object.freeze({ status: 404, code: 'x' }),
  'a circular object': circular,
  'a deep object': () => {
    let deep: object = {}
    for (let i = 0; i < 20_000; i++) deep = { deep }
    return deep
  },
  'a function': () => () => true,
  'a class': () => class Odd {},
  'a trapping function': () => trapping(() => true),
  'a function with then': () => Object.assign(() => true, { then: boom }),
  'a proxy whose every trap throws': () => trapping({}),
  'a revoked proxy': () => revoked({}),
  'a revoked list': () => revoked([]),
  'a revoked function': () => revoked(() => {}),
  'a trapping error': () => trapping(new Error('secret')),
  'a trapping HTTP error': () => trapping(new NotFoundError('x'), ['getPrototypeOf', 'ownKeys']),
  ...Object.fromEntries(
    TRAPS.map((name) => [`a proxy that traps ${name}`, () => trapping({}, [name])]),
  ),
  ...Object.fromEntries(
    FIELDS.map((name) => [`an object whose ${name} throws`, () => withTrap(name)]),
  ),
  ...Object.fromEntries(
    FIELDS.map((name) => [
      `an Error whose ${name} throws`,
      () => withTrap(name, new Error('secret')),
    ]),
  ),
  ...Object.fromEntries(
    FIELDS.map((name) => [
      `an HTTP error whose ${name} throws`,
      () => withTrap(name, new NotFoundError('x')),
    ]),
  ),
  ...Object.fromEntries(
    SYMBOLS.map((name) => [`an object whose ${String(name)} throws`, () => withTrap(name)]),
  ),
  ...Object.fromEntries(
    ['toString', 'valueOf', 'toJSON', 'then', Symbol.toPrimitive].map((name) => [
      `an object that throws by ${String(name)}`,
      () => withBomb(name),
    ]),
  ),
  'a getter that throws': () => withTrap('anything'),
  'a toJSON that returns undefined': () => ({ toJSON: () => undefined }),
  'a toJSON that throws undefined': () => ({
    toJSON() {
      throw undefined
    },
  }),
  'an Error': () => new Error('secret'),
  'a frozen Error': () => Object.freeze(new Error('secret')),
  'a frozen HTTP error': () => Object.freeze(new NotFoundError('x')),
  'a sealed subclass': () => Object.seal(new (class Own extends HttpError {})(409, 'x')),
  'an Error without a prototype': () => Object.setPrototypeOf(new Error('secret'), null),
  'an Error that is its own cause': () => {
    const error = new Error('secret')
    error.cause = error
    return error
  },
  'an Error with the status 200': () =>
    Object.assign(new Error('secret'), { status: 200, statusCode: 200, expose: true }),
  'an Error whose message is a symbol': () =>
    Object.assign(new Error(), {
      status: 404,
      statusCode: 404,
      expose: true,
      message: Symbol('x'),
    }),
  'an Error whose message is an object': () =>
    Object.assign(new Error(), { status: 404, statusCode: 404, expose: true, message: { a: 1n } }),
  'an AggregateError': () => new AggregateError([new Error('secret')]),
  'an Error of another realm': () => runInNewContext('new Error("secret")'),
  'an object of another realm': () => runInNewContext('({ then: null, status: 404 })'),
  'a list of another realm': () => runInNewContext('[1, 2]'),
  'a promise of another realm': () => runInNewContext('Promise.resolve(false)'),
  'a rejection of another realm': () => thenable((_, reject) => reject(runInNewContext('({})'))),
  'a thenable that resolves twice': () =>
    thenable((resolve) => {
      resolve(false)
      resolve(true)
    }),
  'a thenable that resolves and rejects': () =>
    thenable((resolve, reject) => {
      resolve(false)
      reject(new Error('secret'))
    }),
  'a thenable that resolves and throws': () =>
    thenable((resolve) => {
      resolve(false)
      boom()
    }),
  'a thenable that never settles': () => thenable(() => {}),
  'a thenable that throws': () => thenable(boom),
  'a thenable that rejects with undefined': () => thenable((_, reject) => reject(undefined)),
  'a thenable that resolves to another': () =>
    thenable((resolve) => resolve(thenable((inner) => inner(false)))),
  'a thenable that settles late': () => thenable((resolve) => void setTimeout(resolve, 5, false)),
  'a trapping thenable': () =>
    trapping(
      thenable((resolve) => resolve(false)),
      ['getPrototypeOf'],
    ),
  'a promise whose then throws': () => patchedPromise(boom),
  'a promise whose then calls back twice': () =>
    patchedPromise((resolve: Settle, reject: Settle) => {
      resolve(false)
      resolve(true)
      reject(new Error('secret'))
    }),
  'a promise without then': () => patchedPromise(undefined),
  'a promise whose constructor throws': () => withTrap('constructor', Promise.resolve(false)),
  'a promise whose species throws': () => WithoutSpecies.resolve(false),
  'a promise in a proxy': () => new Proxy(Promise.resolve(false), {}),
  'a generator': () =>
    (function* generate() {
      yield true
    })(),
  'an asynchronous generator': () =>
    (async function* generate() {
      yield true
    })(),
  'a Response': () => new Response('x', { status: 404 }),
  Headers: () => new Headers({ a: 'b' }),
  'a stream': () => Readable.from(['x']),
  bytes: () => Buffer.from('x'),
  'a look-alike of bytes': () => ({ type: 'Buffer', data: [1], length: 1, buffer: {} }),
  'a detached buffer': detached,
  'a view of a detached buffer': () => {
    const view = new Uint8Array(8)
    structuredClone(view.buffer, { transfer: [view.buffer] })
    return view
  },
  'a look-alike of a stream': () => ({ pipe: boom, on: boom, readable: true }),
  'a look-alike of a response': () => ({ headersSent: true, end: boom, status: boom, json: boom }),
  'a map': () => new Map([[{}, 1n]]),
  'an invalid date': () => new Date(Number.NaN),
  'a pattern': () => /x/g,
  'a weak reference': () => new WeakRef({}),
}
