import { expect, it } from 'vitest'
import type { BlazonRequest } from '../../src/http/request.js'
import { Deadlines } from '../../src/pipeline/deadlines.js'
import { TestClock } from '../../src/testing/test-clock.js'

it('a request is ended in time even if an earlier request has restarted its own time limit', async () => {
  const clock = new TestClock()
  const ended: string[] = []
  const onError = (_error: unknown, { url }: { readonly url: string }) => void ended.push(url)
  const deadlines = new Deadlines(30_000, { clock, onError, fail: onError, scopes: null } as never)
  const request = (url: string) =>
    ({ url, complete: true, res: { headersSent: false }, socket: {} }) as unknown as BlazonRequest
  const [first, second] = [request('/first'), request('/second')]
  await clock.advance(0)
  deadlines.start(first)
  await clock.advance('1s')
  deadlines.start(second)
  await clock.advance('1s')
  // An error middleware gets a time of its own.
  deadlines.start(first)
  await clock.advance('29s')
  expect(ended).toEqual(['/second'])
  await clock.advance('1s')
  expect(ended).toEqual(['/second', '/first'])
  deadlines.close()
})
