import { expect, it } from 'vitest'
import { CurrentRequest } from '../../src/http/contexts.js'

it('the current request is undefined after its application closes', async () => {
  const current = new CurrentRequest()
  current.need()
  const { plugin } = current
  const enter = plugin?.steps?.({} as never, {} as never)?.['enter']
  const seen: unknown[] = []
  const run = enter?.(() => {
    seen.push(current.get())
    void plugin?.onClose?.()
    seen.push(current.get())
  })
  const req = { id: 1 }
  await run?.(req as never, {} as never)
  expect(seen).toEqual([req, undefined])
})
