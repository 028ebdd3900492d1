import { expect, it } from 'vitest'
import { restartUnderLoad } from './rolling-restarts.js'

it('5 rolling restarts fail no request, and run no POST twice', async () => {
  const { sent, failed, posted, done, exits } = await restartUnderLoad(5)
  expect(failed).toEqual([])
  expect([...done].sort()).toEqual([...posted].sort())
  expect(exits).toEqual(Array(5 + 2).fill(0))
  expect(sent).toBeGreaterThan(5)
})
