import { describe, expect, it } from 'vitest'
import { bodyFinder, bodyReader } from '../../src/http/body-reader.js'

const ranges = [
  { type: 'text', contentTypes: ['text/*'], maxBytes: null, isDescribed: true },
  { type: 'bytes', contentTypes: ['image/*'], maxBytes: null, isDescribed: true },
] as never

/** The index of the body for this media type. */
const found = (type: string) => bodyFinder(ranges)({ headers: { 'content-type': type } } as never)

describe('a range of media types', () => {
  it.each([
    ['text/csv', 0],
    ['text/csv; charset=utf-8', 0],
    ['text/csv; charset=iso-8859-1', -1],
    ['image/png', 1],
    ['image/svg+xml; charset=iso-8859-1', 1],
    ['audio/ogg', -1],
  ])('matches %s only in a charset that is read: %d', (type, index) => {
    expect(found(type)).toBe(index)
  })
})

describe('the fields of a form', () => {
  const { parse } = bodyReader({ type: 'form', maxBytes: null, isDescribed: true } as never, {
    bodyBytes: 100,
    depth: 1,
  })
  const fieldsOf = (text: string) => ({ ...(parse(Buffer.from(text)) as object) })

  it('can contain an encoded plus sign, an equals sign, and no value', () => {
    expect(fieldsOf('a=1%2B1+2&b=1=2&c&=d&&a+b=')).toEqual({
      a: '1+1 2',
      b: '1=2',
      c: '',
      '': 'd',
      'a b': '',
    })
  })

  it('are at most 1,000, without empty pairs', () => {
    const pairs = 'a=1&&'.repeat(1000)
    expect((fieldsOf(pairs) as { a: string[] }).a).toHaveLength(1000)
    expect(() => fieldsOf(`${pairs}b`)).toThrow('more than 1000 fields')
  })
})
