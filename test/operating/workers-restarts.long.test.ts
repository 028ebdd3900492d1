import { expect, it } from 'vitest'
import { restartUnderLoad } from './workers-restarts.js'

it('no request fails and no POST runs twice during 5 restarts of two workers', async () => {
  const { sent, failed, posted, done, status } = await restartUnderLoad(5)
  expect(failed).toEqual([])
  expect([...done].sort()).toEqual([...posted].sort())
  expect(status).toBe(0)
  expect(sent).toBeGreaterThan(5 * 100)
})
