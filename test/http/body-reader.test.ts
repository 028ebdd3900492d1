import { describe, expect, it } from 'vitest'
import { bodyFinder } from '../../src/http/body-reader.js'

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
