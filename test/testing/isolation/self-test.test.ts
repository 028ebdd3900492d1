import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { rounds } from '../../rounds.js'
import { leakyControllers } from './leaky-app.js'
import { tightControllers } from './tight-app.js'

const SEEDS = [1, 2, 3, 4, 5].slice(0, rounds(5, 2))
const TENANTS = ['acme', 'globex']

const leaky = () => TestApp.create({ controllers: leakyControllers(), tenant: {} })
const tight = () => TestApp.create({ controllers: tightControllers(), tenant: {} })

describe('an application with four leaks', () => {
  it.each(SEEDS)(
    'gets the verdict LEAK for exactly these four operations; seed %i',
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
  )
})

describe('the same application without leaks', () => {
  it.each(SEEDS)('passes; seed %i', async (seed) => {
    await using app = await tight()
    const report = await app.proveIsolation({ tenants: TENANTS, seed })
    expect(report.leaks).toEqual([])
    expect(report.verdicts.filter(({ verdict }) => verdict !== 'PASS')).toEqual([])
    expect(report.verdicts).toHaveLength(8)
  })
})

describe('the report', () => {
  it('is a table, and a paragraph for each leak with the request that shows it', async () => {
    await using app = await leaky()
    const report = await app.proveIsolation({ tenants: TENANTS, seed: 1 })
    const [table = '', ...paragraphs] = String(report).split('\n\n')
    expect(table.replaceAll(/; and \d+ more/g, '; and …')).toMatchInlineSnapshot(`
      "POST /notes          PASS  each tenant saw the data it had just sent
      GET /notes           PASS  each tenant saw its own data
      GET /notes/{id}      LEAK  globex received data that acme put into POST /notes, in body data.text; and …
      GET /reports/cached  LEAK  acme received data that globex put into POST /notes, in body data[0].text
      GET /reports/asking  LEAK  acme received data that globex put into POST /notes, in body data[0].text; and …
      GET /reports/flight  LEAK  globex received data that acme put into POST /notes, in body data[0].text; and …"
    `)
    const cached = paragraphs.find((each) => each.includes('/reports/cached')) ?? ''
    expect(cached).toMatchInlineSnapshot(`
      "LEAK GET /reports/cached (Reports_cached, ReportsController.cached): acme received data that globex put into POST /notes, in body data[0].text.
        seen:   at once (globex, acme; both at the entry), the same URL
        replay: the same options, with seed: 1
        curl 'http://localhost:3000/reports/cached' \\
          -H 'x-tenant-id: acme'"
    `)
    expect(paragraphs).toHaveLength(report.leaks.length)
  })

  it('is the same for the same seed, and differs for another seed', async () => {
    const prove = async (seed: number) => {
      await using app = await leaky()
      return await app.proveIsolation({ tenants: TENANTS, seed })
    }
    const [one, again, other] = [await prove(7), await prove(7), await prove(8)]
    expect(again).toEqual(one)
    expect(other.seed).toBe(8)
    expect(other.leaks.map(({ phase }) => phase)).not.toEqual(one.leaks.map(({ phase }) => phase))
  })

  it('contains the seed and the tenants that were chosen by default', async () => {
    await using app = await tight()
    const first = await app.proveIsolation({ rounds: 1 })
    const second = await app.proveIsolation({ rounds: 1 })
    expect(first.seed).not.toBe(second.seed)
    expect(first.tenants).toHaveLength(2)
    for (const id of first.tenants) expect(id).toMatch(/^t[0-9a-f]{32}$/)
    expect(first.tenants).not.toEqual(second.tenants)
    expect([...first.leaks, ...second.leaks]).toEqual([])
  })
})
