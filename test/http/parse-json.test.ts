import { describe, expect, it } from 'vitest'
import { parseJson } from '../../src/http/parse-json.js'

const parse = (text: string, depth = 64) => parseJson(Buffer.from(text), depth)
const MALFORMED = expect.objectContaining({ status: 400, code: 'MALFORMED_JSON' })

describe('parseJson', () => {
  it.each([
    ['plainly', '{"__proto__":{"admin":true}}'],
    ['with one escape', '{"\\u005f_proto__":{"admin":true}}'],
    ['with every letter escaped', '{"\\u005f\\u005f\\u0070roto\\u005f\\u005f":1}'],
    ['deep inside', '{"a":[{"b":{"__proto__":1}}]}'],
  ])('refuses a __proto__ key spelt %s', (_how, text) => {
    expect(() => parse(text)).toThrow(MALFORMED)
  })

  it.each([
    ['plainly', '{"constructor":{"prototype":{"admin":true}}}'],
    ['with an escape', '{"c\\u006fnstructor":{"prototype":{"admin":true}}}'],
  ])('refuses constructor.prototype spelt %s', (_how, text) => {
    expect(() => parse(text)).toThrow(MALFORMED)
  })

  it('reads text that only mentions the forbidden words', () => {
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

  it('counts objects and lists together, and accepts exactly the allowed depth', () => {
    expect(parse('[{"a":[1]}]', 3)).toEqual([{ a: [1] }])
    expect(() => parse('[{"a":[1]}]', 2)).toThrow(/deeper than 2/)
  })

  it('counts depth, not brackets', () => {
    const wide = JSON.stringify(Array.from({ length: 100 }, () => ({ a: [] })))
    expect(parse(wide, 3)).toHaveLength(100)
  })

  it('does not count brackets in strings', () => {
    expect(parse('["[[[[{{{{", "\\"[[[["]', 2)).toEqual(['[[[[{{{{', '"[[[['])
  })
})
