import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { isFault } from '../../src/errors/fault.js'

const error = (facts: object) => Object.assign(new Error('no'), facts)
const named = (name: string) => error({ name })
const coded = (code: unknown) => error({ code })

/** A fault below so many errors. */
function below(levels: number): unknown {
  let result: unknown = new TypeError('the fault')
  for (let i = 0; i < levels; i++) result = new Error('around', { cause: result })
  return result
}

/** An aggregate whose fault is the last of so many errors. */
const lastOf = (count: number) =>
  new AggregateError([...Array(count - 1).fill(new Error('refused')), new TypeError('the fault')])

describe('isFault', () => {
  it.each(['EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError'])(
    'returns true for %s, even from another realm',
    (name) => {
      expect(isFault(runInNewContext(`new ${name}('x')`))).toBe(true)
    },
  )

  it.each([
    ['PrismaClientKnownRequestError', true],
    ['MongoServerError', true],
    ['SequelizeConnectionRefusedError', true],
    ['SqliteError', true],
    ['RedisClientError', true],
    ['ReplyError', true],
    ['MaxRetriesPerRequestError', true],
    ['TimeoutError', true],
    // Their names only contain such a word.
    ['SessionTimeoutError', false],
    ['RedisDenied', false],
    ['TokenExpiredError', false],
    ['Error', false],
  ])('recognizes an error of a client library by its name: %s is %s', (name, expected) => {
    expect(isFault(named(name))).toBe(expected)
  })

  it.each([
    ['ECONNREFUSED', true],
    ['ETIMEDOUT', true],
    ['EPIPE', true],
    ['SQLITE_BUSY', true],
    ['ERR_SQLITE_ERROR', true],
    ['ORA-00942', true],
    ['ER_ACCESS_DENIED_ERROR', true],
    ['UND_ERR_CONNECT_TIMEOUT', true],
    ['PROTOCOL_CONNECTION_LOST', true],
    ['NR_CLOSED', true],
    ['MY_SQLITE_BUSY', false],
    ['ERR_JWT_EXPIRED', false],
    ['', false],
    [7, false],
  ])('recognizes a system or database error by its code: %s is %s', (code, expected) => {
    expect(isFault(coded(code))).toBe(expected)
  })

  it('returns true for any system call error, and for database errors with any code', () => {
    expect(isFault(error({ syscall: 'connect' }))).toBe(true)
    expect(isFault(error({ code: '42P01', severity: 'ERROR' }))).toBe(true)
    expect(isFault(error({ code: '1146', sqlState: '42S02' }))).toBe(true)
    // Without a code, nothing says that a database made it.
    expect(isFault(error({ severity: 'high' }))).toBe(false)
    expect(isFault(error({ sqlState: '42S02' }))).toBe(false)
    expect(isFault(error({ syscall: 7 }))).toBe(false)
  })

  it('returns false for an object that only has the name of a JavaScript error', () => {
    expect(isFault({ name: 'TypeError', message: 'no' })).toBe(false)
    expect(isFault({ name: 'MongoError' })).toBe(true)
  })

  it.each([null, undefined, 'TypeError', 7, true, () => new TypeError('x')])(
    'returns false for a value that is not an object: %s',
    (value) => {
      expect(isFault(value)).toBe(false)
    },
  )

  it.each(['cause', 'driverError', 'original'])(
    'checks an error in a field of another error: %s',
    (field) => {
      expect(isFault(error({ [field]: new TypeError('x') }))).toBe(true)
      expect(isFault(error({ [field]: new Error('expired') }))).toBe(false)
    },
  )

  it('follows three levels of causes', () => {
    expect([0, 1, 2, 3, 4, 5].map((levels) => isFault(below(levels)))).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
    ])
  })

  it('checks only the first ten errors of an aggregate error', () => {
    expect([1, 2, 10, 11].map((count) => isFault(lastOf(count)))).toEqual([true, true, true, false])
    expect(isFault(error({ errors: new TypeError('no list') }))).toBe(false)
    expect(isFault(error({ errors: { 0: new TypeError('no list'), length: 1 } }))).toBe(false)
  })

  it('does not throw for a value whose getters throw', () => {
    const trap = () => {
      throw new Error('do not look')
    }
    expect(isFault(new Proxy({}, { get: trap }))).toBe(false)
    expect(isFault(Object.defineProperty(new Error('x'), 'code', { get: trap }))).toBe(false)
  })
})
