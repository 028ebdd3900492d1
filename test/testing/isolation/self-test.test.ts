import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { leakyControllers } from './leaky-app.js'
import { tightControllers } from './tight-app.js'

const SEEDS = [1, 2, 3, 4, 5]
const TENANTS = ['acme', 'globex']
/** Ends what hangs; nothing is timed. */
const LIMIT = 60_000

const leaky = () => TestApp.create({ controllers: leakyControllers(), tenant: {} })
const tight = () => TestApp.create({ controllers: tightControllers(), tenant: {} })

describe('an application with four leaks', () => {
  it.each(SEEDS)(
    'is seen through, whatever the seed: %i',
    async (seed) => {
      await using app = await leaky()
      const { verdicts, leaks } = await app.proveIsolation({ tenants: TENANTS, seed })
      expect(
        Object.fromEntries(verdicts.map(({ operation, verdict }) => [operation, verdict])),
      ).toEqual({
        'POST /notes': 'PASS',
        'GET /notes': 'PASS',
        'GET /notes/{id}': 'LEAK',
        'GET /reports/cached': 'LEAK',
        'GET /reports/asking': 'LEAK',
        'GET /reports/flight': 'LEAK',
      })
      expect(leaks.every(({ from, to }) => from !== to)).toBe(true)
    },
    LIMIT,
  )
})

describe('its twin that does the same with the framework', () => {
  it.each(SEEDS)(
    'passes, whatever the seed: %i',
    async (seed) => {
      await using app = await tight()
      const report = await app.proveIsolation({ tenants: TENANTS, seed })
      if (seed === 1) console.log(String(report), report.requests)
      expect(report.leaks).toEqual([])
      expect(report.verdicts.filter(({ verdict }) => verdict !== 'PASS')).toEqual([])
      expect(report.verdicts).toHaveLength(8)
    },
    LIMIT,
  )
})
