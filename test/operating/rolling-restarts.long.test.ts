import { expect, it } from 'vitest'
import { restartUnderLoad } from './rolling-restarts.js'

it('no request fails and no POST runs twice during 20 rolling restarts', async () => {
  const { sent, failed, posted, done, exits } = await restartUnderLoad(20)
  expect(failed).toEqual([])
  expect([...done].sort()).toEqual([...posted].sort())
  expect(exits).toEqual(Array(20 + 2).fill(0))
  expect(sent).toBeGreaterThan(20)
})
