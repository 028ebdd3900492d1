import { describe, expect, it } from 'vitest'
import { joinFailures } from '../../src/testing/finish-test.js'

describe('the failures of one request', () => {
  it('are reported as the first error, whose message and stack include the other errors', () => {
    const first = new Error('expected 204, got 200')
    const joined = joinFailures([null, first, undefined, new TypeError('forgotten')]) as Error
    expect(joined).toBe(first)
    const text = 'expected 204, got 200\n\nIn addition: TypeError: forgotten\n'
    expect(joined.message).toBe(text)
    expect(joined.stack).toContain(text)
  })

  it('stay unchanged if there is nothing to join', () => {
    expect(joinFailures([null, undefined])).toBeNull()
    expect(joinFailures(['a text'])).toBe('a text')
  })

  it('are all reported even if the first failure is not an error object or cannot be changed', () => {
    const others = [new Error('forgotten')]
    for (const first of ['a text', Object.freeze(new Error('a text'))]) {
      const joined = joinFailures([first, ...others]) as Error
      expect(joined.message).toMatch(/a text\n\nIn addition: Error: forgotten\n$/)
      expect(joined.cause).toBe(first)
    }
  })
})
