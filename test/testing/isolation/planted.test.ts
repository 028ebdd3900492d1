import { TestApp } from 'blazon/testing'
import { expect, it } from 'vitest'
import { leakyControllers } from './leaky-app.js'

it.each([1, 2, 3, 4, 5])(
  'finds every planted leak, whatever the seed: %i',
  async (seed) => {
    await using app = await TestApp.create({ controllers: leakyControllers(), logger: false })
    const report = await app.proveIsolation({ tenants: ['acme', 'globex'], seed })
    const verdicts = report.verdicts.map(({ operation, verdict }) => [operation, verdict])
    expect(Object.fromEntries(verdicts)).toEqual({
      'POST /notes': 'PASS',
      'GET /notes': 'PASS',
      'GET /notes/{id}': 'LEAK',
      'GET /reports/cached': 'LEAK',
      'GET /reports/current': 'LEAK',
      'GET /reports/flight': 'LEAK',
    })
  },
  60_000,
)
