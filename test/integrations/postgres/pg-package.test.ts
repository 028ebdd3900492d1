import { ConfigError } from 'blazon'
import { afterEach, expect, it, vi } from 'vitest'
import { loadPg } from '../../../src/integrations/postgres/drivers/pg-package.js'

afterEach(() => vi.doUnmock('pg'))

it('a pg package with the class Query is accepted', async () => {
  await expect(loadPg()).resolves.toHaveProperty('Query')
})

it.each([
  ['has no class Query, such as pg-native', {}],
  ['has a class Query without the methods of the protocol', { Query: class {} }],
])('a pg package that %s is refused', async (_, odd) => {
  const pg = await loadPg()
  vi.doMock('pg', () => ({ ...pg, Query: undefined, default: undefined, ...odd }))
  await expect(loadPg()).rejects.toThrow(ConfigError)
  await expect(loadPg()).rejects.toThrow(/cannot send several queries together/)
})
