import { ConfigError, memoryCache } from 'blazon'
import { expect, it } from 'vitest'

it.each([0.001, 0.25, 1])('a tenant may have a share of %d', (tenantShare) => {
  expect(() => memoryCache({ tenantShare })).not.toThrow()
})

it.each([0, -0.1, 1.001, Number.NaN])('a tenant may not have a share of %d', (tenantShare) => {
  expect(() => memoryCache({ tenantShare })).toThrow(ConfigError)
})
