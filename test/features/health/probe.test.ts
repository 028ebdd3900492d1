import { TestApp } from 'blazon/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Probe } from '../../../src/features/health/health.js'

let app: TestApp
beforeEach(async () => {
  app = await TestApp.create()
  // From now on, only the test moves the clock.
  await app.clock.advance(0)
})
afterEach(() => app.close())

/** A probe of a check whose calls the test ends itself, by their index. */
function probeOf() {
  const calls: ((value: unknown) => void)[] = []
  const check = () => new Promise((resolve) => calls.push(resolve))
  const logger = { info() {}, warn() {}, error() {} }
  const health = { get: app.get.bind(app) } as never
  const probe = new Probe({ facts: {}, check, app: health, clock: app.clock, logger })
  /** The result of one call of `ask`, after so much time. */
  const askFor = async (time: string) => {
    const asked = probe.ask()
    await app.clock.advance(time)
    return (await asked).status
  }
  return { calls, askFor }
}

describe('a health check that has not finished', () => {
  it('is not called again before ten seconds have passed', async () => {
    const { calls, askFor } = probeOf()
    expect(await askFor('1s')).toBe('down')
    await app.clock.advance('8999ms')
    await askFor('1s')
    expect(calls).toHaveLength(1)
  })

  it('is still reported as down if an older call returns while a newer one runs', async () => {
    const { calls, askFor } = probeOf()
    expect(await askFor('10s')).toBe('down')
    expect(await askFor('1s')).toBe('down')
    expect(calls).toHaveLength(2)
    calls[0]?.('late')
    await app.clock.advance(0)
    expect(await askFor('1s')).toBe('down')
    expect(calls).toHaveLength(2)
  })
})
