import { describe, expect, it } from 'vitest'
import { isRefused, refuseUntested } from '../../src/testing/untested.js'

/** Judges operations that have responded with these statuses. */
function judge(...statuses: number[][]): string {
  const called = statuses.map((list, index) => ({
    documented: { name: `GET /${index}`, operationId: `op${index}` } as never,
    statuses: new Set(list),
  }))
  try {
    refuseUntested('check()', called)
    return 'tested'
  } catch (error) {
    return (error as Error).message
  }
}

const CALLER = 'Pass a caller who is allowed to call the operation, or skip it.'

describe('a check has tested nothing', () => {
  it('if each operation has refused each request, whatever the reason', () => {
    expect(judge([401], [410, 403])).toBe(
      [
        'check() did not test GET /0 (op0): every request was refused, with 401.',
        'check() did not test GET /1 (op1): every request was refused, with 403, 410.',
        CALLER,
      ].join('\n'),
    )
    expect(judge([401], [])).toContain('op0')
  })

  it('of an operation that has refused each request because of a rate limit', () => {
    const message = judge([200], [429, 401], [403])
    expect(message.split('\n')).toEqual([
      'check() did not test GET /1 (op1): every request was refused, with 401, 429.',
      'The limits of the framework do not apply here: disable the other limit in tests, or skip the operation.',
    ])
  })

  it('unless one request of one operation was not refused', () => {
    for (const statuses of [[[401], [404]], [[401, 400]], [[429, 200], [403]]])
      expect([statuses, judge(...statuses)]).toEqual([statuses, 'tested'])
  })

  it('but an operation without responses is not refused', () => {
    expect(isRefused({ documented: {} as never, statuses: new Set() })).toBe(false)
    expect(judge()).toBe('tested')
  })
})
