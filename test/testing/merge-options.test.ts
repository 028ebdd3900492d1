import { describe, expect, it } from 'vitest'
import { mergeOptions } from '../../src/testing/test-options.js'

describe('mergeOptions', () => {
  it('merges plain objects deeply, and prefers explicit values', () => {
    const defaults = { a: 1, deep: { b: 2, deeper: { c: 3 } } }
    expect(mergeOptions(defaults, { deep: { deeper: { c: 4, d: 5 } } } as object)).toEqual({
      a: 1,
      deep: { b: 2, deeper: { c: 4, d: 5 } },
    })
  })

  it('replaces lists and instances, and does not merge them', () => {
    class Guard {
      readonly field = 1
    }
    const guard = new Guard()
    const merged = mergeOptions({ list: [1, 2], guard: { field: 2 } }, { list: [3], guard })
    expect(merged.list).toEqual([3])
    expect(merged.guard).toBe(guard)
  })

  it('does not change its arguments, and ignores explicit values that are undefined', () => {
    const defaults = Object.freeze({ security: Object.freeze({ helmet: false }) })
    const explicit = Object.freeze({ security: undefined })
    expect(mergeOptions(defaults, explicit)).toEqual({ security: { helmet: false } })
  })

  it('does not change a prototype', () => {
    mergeOptions({}, JSON.parse('{"__proto__":{"polluted":true}}'))
    expect({}).not.toHaveProperty('polluted')
  })
})
