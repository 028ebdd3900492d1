import type { Request } from 'blazon'
import { blameRequest } from 'blazon/plugin'
import { describe, expect, it } from 'vitest'

type Refused = Parameters<typeof blameRequest>[0]

const TORN = '\ud800'
const NUMERIC = 'A field with precision 10, scale 2 must round to an absolute value less than 10^8.'

/** The fields that the error names; `null` if it names none, and `undefined` if there is no error. */
function blamed(refused: Refused, req: object): string[] | null | undefined {
  const cause = new Error('refused by the database')
  const error = blameRequest(refused, { headers: {}, ...req } as Request, cause)
  if (error === undefined) return undefined
  expect(error.cause).toBe(cause)
  expect(error.status).toBe(400)
  if (error.errors === undefined) {
    expect(error.code).toBe('BAD_REQUEST')
    expect(error.message).toBe('The request contains a value that the database does not accept')
    return null
  }
  expect(error.code).toBe('VALIDATION_FAILED')
  return error.errors.map(({ in: source, path, message }) => `${source} ${path} ${message}`)
}

/** A refusal whose message quotes a value. */
const quoting = (code: string, value: unknown, ...others: unknown[]): Refused => {
  return { code, message: `invalid input syntax: "${String(value)}"`, values: [value, ...others] }
}

describe('a value that PostgreSQL refuses', () => {
  it.each<[string, Refused, object, string[] | null | undefined]>([
    [
      'a text that has more characters than the column, not only more UTF-16 units',
      { code: '22001', message: 'too long for varchar(3)', values: ['abcd', 'abc', '😀😀😀'] },
      { a: 'abcd', b: 'abc', c: '😀😀😀' },
      ['body a is too long'],
    ],
    [
      'a text for a type without a limit',
      { code: '22001', message: 'too long', values: ['abcd'] },
      { a: 'abcd' },
      undefined,
    ],
    [
      'a quoted number',
      quoting('22003', '99999999999', 5),
      { n: 99_999_999_999, m: 5 },
      ['body n is out of range'],
    ],
    [
      'a decimal that would be rounded up to the limit',
      { code: '22003', message: 'overflow', detail: NUMERIC, values: [99_999_999.5, 99_999_999.4] },
      { a: 99_999_999.5, b: 99_999_999.4 },
      ['body a is out of range'],
    ],
    [
      'a negative decimal',
      { code: '22003', message: 'overflow', detail: NUMERIC, values: ['-1e8', ''] },
      { a: '-1e8', b: '' },
      ['body a is out of range'],
    ],
    [
      'the result of a calculation',
      { code: '22003', message: 'integer out of range', values: [2_147_483_647] },
      { a: 2_147_483_647 },
      undefined,
    ],
    [
      'a date whose month does not exist',
      quoting('22008', '2026-13-01'),
      { at: '2026-13-01' },
      ['body at is out of range'],
    ],
    ['a text that is no date', quoting('22007', 'soon'), { at: 'soon' }, ['body at is not valid']],
    [
      'a lone surrogate in JSON',
      { code: '22P02', message: 'json', values: [`{"a":"${TORN}"}`] },
      { a: TORN },
      ['body a is not valid'],
    ],
    [
      'a NUL in a text that was trimmed, joined and changed to lower case',
      { code: '22P05', message: 'no', values: ['%a\0b%'] },
      { q: ' A\0B ' },
      ['body q must not contain a NUL character'],
    ],
    [
      'each text with a NUL',
      { code: '22021', message: 'no', values: ['\0', 'a\0'] },
      { a: '\0', b: ['a\0'] },
      ['body a must not contain a NUL character', 'body b.0 must not contain a NUL character'],
    ],
    ['a value that occurs twice', quoting('22P02', 'x'), { a: 'x', b: 'x' }, null],
    ['a value that is not in the request', quoting('22P02', 'x'), { a: 'y' }, undefined],
    ['a value of another error', quoting('23505', 'x'), { a: 'x' }, undefined],
  ])('is blamed on its field: %s', (_, refused, body, expected) => {
    const found = blamed(refused, { body })
    expect(Array.isArray(found) ? found.sort() : found).toEqual(expected)
  })

  it.each<[string, string | undefined, string[] | undefined]>([
    ['the parameter', 'unnamed portal parameter $2', ['body b is out of range']],
    ['a parameter that does not exist', 'unnamed portal parameter $3', undefined],
    ['no parameter', 'parameter $0', undefined],
    ['the statement of a function', 'SQL statement "select $2"', undefined],
    ['a call of a function', 'PL/pgSQL function f(integer) line 1, $2', undefined],
    ['nothing', undefined, undefined],
  ])('is the parameter that PostgreSQL names: %s', (_, where, expected) => {
    const refused = { code: '22003', message: 'out of range', where, values: [1, 2] }
    expect(blamed(refused, { body: { a: 1, b: 2 } })).toEqual(expected)
  })

  it('can be each value if PostgreSQL names a parameter that the statement does not have', () => {
    const refused = { ...quoting('22P02', 'x', 'y'), where: 'parameter $3' }
    expect(blamed(refused, { body: { a: 'x', b: 'y' } })).toEqual(['body a is not valid'])
  })

  it('is not blamed on the values within the parameter that PostgreSQL names', () => {
    const where = 'parameter $1'
    const refused = { code: '22003', message: 'out of range', where, values: [[1]] }
    expect(blamed(refused, { body: { a: 1 } })).toBeUndefined()
  })

  it.each<[string, object]>([
    ['params id', { params: { id: 'x' } }],
    ['query list.1', { query: { list: ['a', 'x'] } }],
    ['headers x-a', { headers: { 'x-a': 'x' } }],
    ['headers x-b', { headers: { 'x-a': 'x' }, validated: { headers: { 'x-b': 'x' } } }],
    ['cookies c', { validated: { cookies: { c: 'x' } } }],
    ['body ', { body: 'x' }],
  ])('can be in each part of a request: %s', (place, req) => {
    expect(blamed(quoting('22P02', 'x'), req)).toEqual([`${place} is not valid`])
  })

  it('is found although another part of the request cannot be read', () => {
    const broken = {
      get query() {
        throw new Error('own parser')
      },
    }
    const body = Object.defineProperty({}, 'a', {
      enumerable: true,
      get() {
        throw new Error('own getter')
      },
    })
    const req = Object.assign(Object.create(broken), { headers: {}, params: { id: 'x' }, body })
    const error = blameRequest(quoting('22P02', 'x'), req, undefined)
    expect(error?.errors).toEqual([{ in: 'params', path: 'id', message: 'is not valid' }])
  })

  it('can be a date or a number that the application has created from a text', () => {
    const time = Date.UTC(2026, 0, 2)
    const where = 'parameter $1'
    const at = { code: '22008', message: 'out of range', where, values: [new Date(time)] }
    for (const sent of ['2026-01-02T00:00:00+00:00', time, BigInt(time)]) {
      expect(blamed(at, { body: { other: 'no date', at: sent } })).toEqual([
        'body at is out of range',
      ])
    }
    expect(blamed(at, { body: { at: time + 1 } })).toBeUndefined()
    expect(blamed(quoting('22P02', 5n), { body: { n: '5' } })).toEqual(['body n is not valid'])
  })

  it('can be within lists, objects and JSON, but not within bytes', () => {
    const loop: Record<string, unknown> = { deep: [{ n: 'x' }], bytes: Buffer.from('x') }
    loop['self'] = loop
    expect(blamed(quoting('22P02', 'x'), { body: loop })).toEqual(['body deep.0.n is not valid'])
    const inJson = (json: string) => ({
      code: '22P02',
      message: 'invalid input syntax: "x"',
      values: [json],
    })
    expect(blamed(inJson(' [{"n":"x"}]'), { body: { n: 'x' } })).toEqual(['body n is not valid'])
    expect(blamed(inJson('{"n":"x"'), { body: { n: 'x' } })).toBeUndefined()
    expect(blamed(inJson('"x"'), { body: { n: 'x' } })).toBeUndefined()
  })
})
