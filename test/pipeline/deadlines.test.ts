import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import type { BlazonRequest } from '../../src/http/request.js'
import { kIsExpired } from '../../src/http/symbol-fields.js'
import { Deadlines } from '../../src/pipeline/deadlines.js'
import { TestClock } from '../../src/testing/test-clock.js'

/** Time limits of 30 seconds, and the URLs of the requests that they have ended, by the function that was called. */
async function limits() {
  const clock = new TestClock()
  const ended: string[] = []
  const failed: string[] = []
  const note = (list: string[]) => (_error: unknown, req: { readonly url: string }) =>
    void list.push(req.url)
  const ends = { onError: note(ended), fail: note(failed), scopes: null }
  const deadlines = new Deadlines(30_000, { clock, ...ends } as never)
  await clock.advance(0)
  return { clock, deadlines, ended, failed }
}

const request = (url: string, more: object = {}) => {
  const res = Object.assign(new EventEmitter(), { headersSent: false, closed: false })
  return { url, complete: true, res, socket: {}, ...more } as unknown as BlazonRequest
}

it('a request is ended in time even if an earlier request has restarted its own time limit', async () => {
  const { clock, deadlines, ended } = await limits()
  const [first, second] = [request('/first'), request('/second')]
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

describe('a time limit until the response closes', () => {
  it('ends a request, unless its response closes before or has already closed', async () => {
    const { clock, deadlines, ended } = await limits()
    const [open, closing, closed] = ['/open', '/closing', '/closed'].map((url) => request(url))
    for (const req of [open, closing, closed] as BlazonRequest[]) {
      if (req === closed) Object.assign(req.res, { closed: true })
      deadlines.startUntilClosed(req, req.res)
    }
    closing?.res.emit('close')
    await clock.advance('30s')
    expect(ended).toEqual(['/open'])
    deadlines.close()
  })
})

describe('the end of a time limit', () => {
  const receiving = { complete: false, destroyed: false, readableFlowing: true }

  it('is postponed while the body arrives, but not after the connection was lost', async () => {
    const { clock, deadlines, ended } = await limits()
    deadlines.start(request('/arriving', receiving))
    deadlines.start(request('/lost', { ...receiving, destroyed: true }))
    deadlines.start(request('/unread', { ...receiving, readableFlowing: null }))
    await clock.advance('30s')
    expect(ended).toEqual(['/lost', '/unread'])
    deadlines.close()
  })

  it('ends a request directly if its first error has already been passed on', async () => {
    const { clock, deadlines, ended, failed } = await limits()
    deadlines.start(request('/first'))
    deadlines.start(request('/again', { [kIsExpired]: true }))
    await clock.advance('30s')
    expect([ended, failed]).toEqual([['/first'], ['/again']])
    deadlines.close()
  })

  it('does not come after the time limits were closed', async () => {
    const { clock, deadlines, ended } = await limits()
    deadlines.start(request('/running'))
    deadlines.close()
    await clock.advance('60s')
    expect(ended).toEqual([])
  })
})

describe('the remaining time of a request', () => {
  it('is the whole time before its start, and never negative', () => {
    let now = 1000
    const timer = { cancel() {} }
    const clock = { monotonic: () => now, setTimeout: () => timer }
    const deadlines = new Deadlines(30_000, { clock } as never)
    const req = request('/slow')
    expect(deadlines.restOf(req)).toBe(30_000)
    deadlines.start(req)
    now += 10_000
    expect(deadlines.restOf(req)).toBe(20_000)
    // The timer of a busy process can be late.
    now += 20_001
    expect(deadlines.restOf(req)).toBe(0)
    deadlines.close()
  })
})
