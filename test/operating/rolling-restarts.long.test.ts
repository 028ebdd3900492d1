import { expect, it } from 'vitest'
import { rounds } from '../rounds.js'
import { restartUnderLoad } from './rolling-restarts.js'

it('no request fails and no POST runs twice during rolling restarts', async () => {
  const restarts = rounds(20, 6)
  const { sent, failed, posted, done, exits } = await restartUnderLoad(restarts)
  expect(failed).toEqual([])
  expect([...done].sort()).toEqual([...posted].sort())
  expect(exits).toEqual(Array(restarts + 2).fill(0))
  expect(sent).toBeGreaterThan(20)
})
