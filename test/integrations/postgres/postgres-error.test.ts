import {
  isExclusionViolation,
  isForeignKeyViolation,
  isUniqueViolation,
  PostgresError,
  sessionTable,
} from 'blazon/postgres'
import { describe, expect, it } from 'vitest'
import {
  briefCause,
  isConflict,
  isRefusal,
  textOf,
  UnsavedError,
} from '../../../src/integrations/postgres/postgres-error.js'
import {
  explainRefusal,
  noteRefused,
} from '../../../src/integrations/postgres/refused-statement.js'
import {
  faultOfName,
  identifier,
  literal,
  suffixed,
} from '../../../src/integrations/postgres/schema/names.js'

const refused = (code: string, more: object = {}) =>
  new PostgresError('refused', { code, ...more }, more as ErrorOptions)
const wrapped = (cause: unknown, times: number): Error =>
  times === 0 ? (cause as Error) : new Error('outer', { cause: wrapped(cause, times - 1) })

describe('a refusal of PostgreSQL', () => {
  it.each([
    ['23505', isUniqueViolation],
    ['23503', isForeignKeyViolation],
    ['23P01', isExclusionViolation],
  ] as const)('with the code %s is recognized, also by its constraint', (code, isViolation) => {
    const error = refused(code, { constraint: 'a_key' })
    expect(isViolation(error)).toBe(true)
    expect(isViolation(error, 'a_key')).toBe(true)
    expect(isViolation(error, 'b_key')).toBe(false)
    expect(isViolation(refused('23502', { constraint: 'a_key' }), 'a_key')).toBe(false)
    for (const other of [new Error('x'), null, undefined, 'text', { code }])
      expect(isViolation(other)).toBe(false)
  })

  it('is found in the first four causes of an error', () => {
    expect(isUniqueViolation(wrapped(refused('23505'), 4))).toBe(true)
    expect(isUniqueViolation(wrapped(refused('23505'), 5))).toBe(false)
    const circle = new Error('round')
    circle.cause = circle
    expect([isUniqueViolation(circle), isConflict(circle)]).toEqual([false, false])
  })

  it('is a conflict, also if it is the cause of another refusal', () => {
    for (const code of ['40001', '40P01']) {
      expect(isConflict(refused(code))).toBe(true)
      expect(isConflict(refused('25P02', { cause: refused(code) }))).toBe(true)
      expect(isConflict(new UnsavedError('x', { cause: refused(code) }))).toBe(true)
    }
    expect(isConflict(refused('23505'))).toBe(false)
    expect(isConflict(refused('40002'))).toBe(false)
  })

  it('means that the connection can still be used', () => {
    expect(isRefusal(refused('23505'))).toBe(true)
    expect(isRefusal(wrapped(refused('53100'), 1))).toBe(true)
    expect([new Error('x'), null, 7].map(isRefusal)).toEqual([false, false, false])
  })

  it('has all fields of the response', () => {
    const fields = {
      ...{ code: '23505', constraint: 'c', schema: 's', table: 't', column: 'n' },
      ...{ detail: 'd', hint: 'h' },
    }
    const cause = new Error('x')
    const error = new PostgresError('message', fields, { cause })
    expect(error).toMatchObject({ name: 'PostgresError', message: 'message', ...fields, cause })
  })

  it('is described by the innermost of at most six errors', () => {
    expect(briefCause(wrapped(refused('23505', { hint: 'h' }), 5))).toMatchObject({
      ...{ message: 'refused', code: '23505', hint: 'h' },
    })
    expect(briefCause(wrapped(refused('23505'), 6)).message).toBe('outer')
    expect(textOf(new AggregateError([], 'All failed.'))).toBe('All failed')
    expect(textOf(null)).toBe('no reason was given')
  })
})

describe('the response to a refused statement', () => {
  const explain = (error: unknown) => explainRefusal(error, { body: { n: 'a\0b' } } as never)

  it('is 503 after a conflict, and asks the client to try again', () => {
    const error = wrapped(refused('40001'), 1)
    expect(explain(error)).toMatchObject({
      ...{ status: 503, code: 'DATABASE_CONFLICT', cause: error, expose: true },
      message: 'Other requests have changed the same data; try again',
    })
    expect(explain(error)?.headers).toEqual({ 'Retry-After': '1' })
  })

  it('is not the fault of the request if the statement is unknown or the program continued', () => {
    expect(explain(refused('22P02'))).toBeUndefined()
    expect(explain(new Error('x'))).toBeUndefined()
    const noted = noteRefused(refused('22021'), { text: 'select $1', values: ['a\0b'] })
    expect(explain(noted)).toMatchObject({ status: 400 })
    expect(explain(new UnsavedError('x', { cause: noted }))).toBeUndefined()
  })

  it('is about the first statement that was noted for an error', () => {
    const error = refused('22021')
    expect(noteRefused(error, { text: 'select $1', values: ['a\0b'] })).toBe(error)
    noteRefused(error, { text: 'select $1', values: [1] })
    expect(explain(error)).toMatchObject({ status: 400 })
  })
})

describe('a name in SQL', () => {
  it('is quoted if it is not a plain word, and shortened to 63 bytes with its suffix', () => {
    expect(['a_1', '_a', '1a', 'A', 'user', 'a-b', 'a"b'].map(identifier)).toEqual([
      ...['a_1', '_a', '"1a"', '"A"', '"user"', '"a-b"', '"a""b"'],
    ])
    expect(literal("it's")).toBe("'it''s'")
    expect(suffixed('a', '_user')).toBe('a_user')
    expect(suffixed('x'.repeat(58), '_user')).toBe(`${'x'.repeat(58)}_user`)
    expect(suffixed('x'.repeat(59), '_user')).toBe(`${'x'.repeat(58)}_user`)
    const odd = `abc${'🦊'.repeat(13)}`
    expect(suffixed(`${odd}🦊`, '_user')).toBe(`${odd}_user`)
    expect(suffixed('🦊'.repeat(15), '_user')).toBe(`${'🦊'.repeat(14)}_user`)
  })

  it('has a fault if PostgreSQL would change it', () => {
    expect(faultOfName('x'.repeat(63))).toBeNull()
    expect(faultOfName('x'.repeat(64))).toBe('It is 64 bytes long, but names can have at most 63.')
    expect(faultOfName('')).toBe('It is empty, or not a string.')
    expect(faultOfName('a\0')).toBe('It has a character that is not allowed in names.')
  })

  it('of the table of sessions, of its schema and of its role can be chosen', () => {
    const sql = sessionTable({ table: 'Web', schema: 'shop', role: 'user' })
    expect(sql.split('\n').filter((line) => /^create|^grant/.test(line))).toEqual([
      'create table shop."Web" (',
      'create index "Web_user" on shop."Web" (user_key) where user_key is not null;',
      'create index "Web_idle" on shop."Web" (idle_at);',
      'grant usage on schema shop to "user";',
      'grant select, insert, update, delete on shop."Web" to "user";',
    ])
    expect(sessionTable()).toContain('create table blazon_sessions (')
    expect(sessionTable()).not.toContain('grant usage')
    expect(sessionTable()).toContain('to app_all_tenants;')
    for (const name of ['table', 'schema', 'role'])
      expect(() => sessionTable({ [name]: '' })).toThrow(`sessionTable(): ${name}`)
    expect(() => sessionTable({ tables: 'x' } as never)).toThrow('tables')
  })
})
