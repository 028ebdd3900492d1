import { ServiceUnavailableError } from 'blazon'
import { describe, expect, it } from 'vitest'
import { RepeatedFailures } from '../../src/pipeline/repeated-failures.js'

function failures() {
  const lines: object[] = []
  const timers: (() => void)[] = []
  const logger = { info() {}, warn() {}, error: (facts: object) => void lines.push(facts) }
  const clock = {
    setTimeout(run: () => void) {
      timers.push(run)
      return { cancel() {} }
    },
  }
  const counter = new RepeatedFailures({ logger, clock: clock as never })
  const fail = () => counter.note(new ServiceUnavailableError('down', { code: 'DOWN' }))
  return { lines, counter, fail, tick: () => timers.shift()?.() }
}

describe('the failures of an outage', () => {
  it('are counted after the first one, and logged once per second', () => {
    const { lines, fail, tick } = failures()
    expect([fail(), fail(), fail()]).toEqual([false, true, true])
    tick()
    expect(lines).toEqual([{ code: 'DOWN', status: 503, count: 2 }])
  })

  it('that are not logged yet are logged when the application closes', () => {
    const { lines, counter, fail } = failures()
    for (let i = 0; i < 4; i++) fail()
    counter.close()
    expect(lines).toEqual([{ code: 'DOWN', status: 503, count: 3 }])
    expect(fail()).toBe(false)
  })
})
