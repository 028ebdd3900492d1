import { ConfigError } from 'blazon'
import { afterEach, expect, it, vi } from 'vitest'
import { loadPg } from '../../../src/integrations/postgres/drivers/pg-package.js'

afterEach(() => vi.doUnmock('pg'))

it('is the pg whose queries and connections can be made a flight of', async () => {
  await expect(loadPg()).resolves.toHaveProperty('Query')
})

it.each([
  ['it has no queries of its own, as the native one', {}],
  ['its queries answer to other names', { Query: class {} }],
])('is refused at the start where %s', async (_, odd) => {
  const pg = await loadPg()
  vi.doMock('pg', () => ({ ...pg, Query: undefined, default: undefined, ...odd }))
  await expect(loadPg()).rejects.toThrow(ConfigError)
  await expect(loadPg()).rejects.toThrow(/cannot send several queries together/)
})
