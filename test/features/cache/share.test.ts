import { ConfigError, memoryCache } from 'blazon'
import { expect, it } from 'vitest'
import { usable } from '../../support.js'

it.each([0.001, 0.25, 1])('memoryCache() accepts tenantShare: %d', (tenantShare) => {
  expect(() => usable(memoryCache({ tenantShare }))).not.toThrow()
})

it.each([0, -0.1, 1.001, Number.NaN])('memoryCache() refuses tenantShare: %d', (tenantShare) => {
  expect(() => usable(memoryCache({ tenantShare }))).toThrow(ConfigError)
})
