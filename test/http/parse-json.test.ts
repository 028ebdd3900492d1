import { describe, expect, it } from 'vitest'
import { parseJson } from '../../src/http/read-json.js'

const parse = (text: string, depth = 64) => parseJson(Buffer.from(text), depth)
const MALFORMED = expect.objectContaining({ status: 400, code: 'MALFORMED_JSON' })

describe('parseJson', () => {
  it.each([
    ['plainly', '{"__proto__":{"admin":true}}'],
    ['with one escape', '{"\\u005f_proto__":{"admin":true}}'],
    ['with every letter escaped', '{"\\u005f\\u005f\\u0070roto\\u005f\\u005f":1}'],
    ['plainly, in a nested object', '{"a":[{"b":{"__proto__":1}}]}'],
  ])('refuses a __proto__ key that is written %s', (_how, text) => {
    expect(() => parse(text)).toThrow(MALFORMED)
  })

  it.each([
    ['plainly', '{"constructor":{"prototype":{"admin":true}}}'],
    ['with an escape', '{"c\\u006fnstructor":{"prototype":{"admin":true}}}'],
  ])('refuses constructor.prototype if it is written %s', (_how, text) => {
    expect(() => parse(text)).toThrow(MALFORMED)
  })

  it('accepts the forbidden names in a string value', () => {
    expect(parse('{"note":"__proto__ \\\\ constructor"}')).toEqual({
      note: '__proto__ \\ constructor',
    })
  })

  it('skips a byte order mark', () => {
    expect(parse('\ufeff{"a":1}')).toEqual({ a: 1 })
  })

  it('refuses bytes that are not UTF-8', () => {
    const bytes = Buffer.concat([Buffer.from('{"a":"'), Buffer.of(0xff), Buffer.from('"}')])
    expect(() => parseJson(bytes, 64)).toThrow(MALFORMED)
  })

  it('counts the depth of objects and lists together, and accepts exactly the allowed depth', () => {
    expect(parse('[{"a":[1]}]', 3)).toEqual([{ a: [1] }])
    expect(() => parse('[{"a":[1]}]', 2)).toThrow(/deeper than 2/)
  })

  it('accepts any number of brackets within the allowed depth', () => {
    const wide = JSON.stringify(Array.from({ length: 100 }, () => ({ a: [] })))
    expect(parse(wide, 3)).toHaveLength(100)
  })

  it('does not count brackets in strings', () => {
    expect(parse('["[[[[{{{{", "\\"[[[["]', 2)).toEqual(['[[[[{{{{', '"[[[['])
  })

  it.each(['1e400', '-1e400', '1E400', '1e+400', '1E+400', '0.1e+0000310'])(
    'refuses %s, which would become Infinity',
    (text) => {
      expect(() => parse(text)).toThrow(MALFORMED)
      expect(() => parse(`{"a":[{"b":${text}}]}`)).toThrow(MALFORMED)
    },
  )

  it('refuses a number whose digits and exponent together make it too large, at any position', () => {
    const accepted: number[] = []
    for (let start = 0; start < 130; start++) {
      try {
        parse(`${' '.repeat(start)}${'9'.repeat(210)}e99`)
        accepted.push(start)
      } catch {
        // As it should be.
      }
    }
    expect(accepted).toEqual([])
  })

  it.each(['1e308', '1e+308', '1.7976931348623157e+308', '1e-400', '9'.repeat(308)])(
    'reads %s, which is not too large',
    (text) => {
      expect(parse(text)).toBe(Number(text))
    },
  )

  it('accepts a string that contains numbers that are too large', () => {
    const text = `1e+400 ${'9'.repeat(400)}`
    expect(parse(JSON.stringify({ text }))).toEqual({ text })
  })
})
