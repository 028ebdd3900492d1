import { describe, expect, it } from 'vitest'
import { mergeOptions } from '../../src/testing/merge-options.js'

describe('mergeOptions', () => {
  it('merges plain objects deeply, the explicit side winning', () => {
    const defaults = { a: 1, deep: { b: 2, deeper: { c: 3 } } }
    expect(mergeOptions(defaults, { deep: { deeper: { c: 4, d: 5 } } } as object)).toEqual({
      a: 1,
      deep: { b: 2, deeper: { c: 4, d: 5 } },
    })
  })

  it('takes lists, classes, functions and instances whole', () => {
    class Guard {
      readonly field = 1
    }
    const guard = new Guard()
    const merged = mergeOptions({ list: [1, 2], guard: { field: 2 } }, { list: [3], guard })
    expect(merged.list).toEqual([3])
    expect(merged.guard).toBe(guard)
  })

  it('changes neither side, and leaves a default where the explicit value is undefined', () => {
    const defaults = Object.freeze({ security: Object.freeze({ helmet: false }) })
    const explicit = Object.freeze({ security: undefined })
    expect(mergeOptions(defaults, explicit)).toEqual({ security: { helmet: false } })
  })

  it('does not reach a prototype', () => {
    mergeOptions({}, JSON.parse('{"__proto__":{"polluted":true}}'))
    expect({}).not.toHaveProperty('polluted')
  })
})
