import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { dateText } from '../../src/schema/date-text.js'

/** The value as it appears in JSON. */
const inJson = (value: unknown) => JSON.parse(JSON.stringify([value]))[0]

describe('dateText', () => {
  it('returns the JSON form of dates in any year, and of invalid dates', () => {
    fc.assert(
      fc.property(fc.date(), (date) => {
        expect(dateText(date)).toBe(inJson(date))
      }),
      { numRuns: 2000, seed: 7 },
    )
  })

  it.each([
    '0999-12-31T23:59:59.999Z',
    '1000-01-01T00:00:00.000Z',
    '1969-12-31T23:59:59.999Z',
    '1970-01-01T00:00:00.000Z',
    '2000-02-29T12:00:00.001Z',
    '9999-12-31T23:59:59.999Z',
    '+010000-01-01T00:00:00.000Z',
    '-000001-01-01T00:00:00.000Z',
    '+275760-09-13T00:00:00.000Z',
  ])('converts a date to %s', (text) => {
    expect(dateText(new Date(text))).toBe(text)
  })

  it('returns the same text as `toISOString()` for every second of a day', () => {
    const start = Date.parse('2024-02-28T00:00:00Z')
    for (let second = 0; second < 86_400; second++) {
      const date = new Date(start + second * 1000 + (second % 1000))
      if (dateText(date) !== date.toISOString()) expect(dateText(date)).toBe(date.toISOString())
    }
  })

  it('keeps the JSON form of a date with an overridden conversion method', () => {
    class Local extends Date {
      override toISOString() {
        return 'soon'
      }
    }
    const named = Object.assign(new Date(0), { toJSON: () => 'now' })
    const none = Object.assign(new Date(0), { valueOf: () => Number.NaN })
    class Unknown extends Date {
      override [Symbol.toPrimitive]() {
        return Number.NaN as never
      }
    }
    for (const date of [new Local(0), named, none, new Unknown(0)]) {
      expect(inJson(dateText(date))).toBe(inJson(date))
    }
    expect([named, none, new Unknown(0), new Local(0)].map(inJson)).toEqual([
      'now',
      null,
      null,
      'soon',
    ])
  })

  it('uses the internal time of a date even if its class overrides the getters', () => {
    class Shifted extends Date {
      override getUTCFullYear() {
        return 1
      }
      override getUTCDate() {
        return 2
      }
      override getTime() {
        return 3
      }
    }
    expect(dateText(new Shifted(0))).toBe('1970-01-01T00:00:00.000Z')
    expect(inJson(new Shifted(0))).toBe('1970-01-01T00:00:00.000Z')
  })

  describe('dateText with a replaced method of Date.prototype', () => {
    afterEach(() => {
      vi.restoreAllMocks()
      vi.resetModules()
    })

    it('returns dates unchanged', () => {
      vi.spyOn(Date.prototype, 'toJSON').mockReturnValue('shared')
      const date = new Date(0)
      expect(dateText(date)).toBe(date)
    })

    it('returns dates unchanged even if the method was replaced before this package was loaded', async () => {
      const { toJSON } = Date.prototype
      Date.prototype.toJSON = () => 'shared'
      try {
        vi.resetModules()
        const late = await import('../../src/schema/date-text.js')
        const date = new Date(0)
        expect(late.dateText(date)).toBe(date)
      } finally {
        Date.prototype.toJSON = toJSON
      }
    })
  })
})
