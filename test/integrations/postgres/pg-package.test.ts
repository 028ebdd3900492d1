import { ConfigError } from 'blazon'
import { afterEach, expect, it, vi } from 'vitest'
import { loadPg } from '../../../src/integrations/postgres/drivers/pg-package.js'

afterEach(() => vi.doUnmock('pg'))

it('loads a pg with the class Query', async () => {
  await expect(loadPg()).resolves.toHaveProperty('Query')
})

it.each([
  ['has no class Query, as the native one', {}],
  ['has a class Query without the methods of the protocol', { Query: class {} }],
])('refuses a pg that %s', async (_, odd) => {
  const pg = await loadPg()
  vi.doMock('pg', () => ({ ...pg, Query: undefined, default: undefined, ...odd }))
  await expect(loadPg()).rejects.toThrow(ConfigError)
  await expect(loadPg()).rejects.toThrow(/cannot send several queries together/)
})
