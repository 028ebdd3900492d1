import { expect, it } from 'vitest'
import { restartUnderLoad } from './workers-restarts.js'

it('20 restarts of two workers fail no request, run no POST twice, and count all', async () => {
  const { sent, failed, posted, done, status, counted } = await restartUnderLoad(20)
  expect(failed).toEqual([])
  expect([...done].sort()).toEqual([...posted].sort())
  expect(status).toBe(0)
  expect(counted).toBe(sent)
  expect(sent).toBeGreaterThan(20 * 10)
})
