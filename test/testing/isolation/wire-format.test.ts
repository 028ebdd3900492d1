import type { AppOptions, EnvelopeFormat } from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { tightControllers } from './tight-app.js'

const own: EnvelopeFormat = {
  success: (data) => ({ version: 1, result: data }),
  schema: (data) => ({
    type: 'object',
    properties: { version: { type: 'integer' }, result: data },
    required: ['version'],
  }),
}
const errors: AppOptions['errors'] = {
  format: ({ code }) => ({ fault: code }),
  schema: z.object({ fault: z.string() }),
  status: { validation: 422 },
}

async function verdictsOf(options: Partial<AppOptions>) {
  await using app = await TestApp.create({
    controllers: tightControllers(),
    tenant: {},
    ...options,
  })
  const tenants = ['acme', 'globex']
  const { verdicts, leaks } = await app.proveIsolation({ tenants, seed: 1, rounds: 1 })
  expect(leaks).toEqual([])
  return verdicts.map(({ operationId, verdict }) => `${operationId} ${verdict}`)
}

describe('proveIsolation()', () => {
  it('finds the ids of records in every wire format, and returns the same verdicts', async () => {
    const expected = await verdictsOf({})
    expect(expected.some((row) => row.endsWith('PASS'))).toBe(true)
    expect(await verdictsOf({ envelope: false, errors })).toEqual(expected)
    expect(await verdictsOf({ envelope: own, errors })).toEqual(expected)
  })
})
