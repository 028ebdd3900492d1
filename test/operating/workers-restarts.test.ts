import { expect, it } from 'vitest'
import { restartUnderLoad } from './workers-restarts.js'

it('5 restarts of two workers fail no request, run no POST twice, and count all', async () => {
  const { sent, failed, posted, done, status, counted } = await restartUnderLoad(5)
  expect(failed).toEqual([])
  expect([...done].sort()).toEqual([...posted].sort())
  expect(status).toBe(0)
  expect(counted).toBe(sent)
  expect(sent).toBeGreaterThan(5 * 10)
})
