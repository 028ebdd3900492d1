import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { BlazonRequest } from '../../src/http/request.js'
import { Deadlines } from '../../src/pipeline/deadlines.js'

const request = (facts: object = {}) =>
  ({ complete: true, res: { headersSent: false }, ...facts }) as unknown as BlazonRequest

describe('Deadlines', () => {
  const expired: BlazonRequest[] = []
  let deadlines: Deadlines

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
    expired.length = 0
    deadlines = new Deadlines(1, (_error, req) => void expired.push(req))
  })
  afterEach(() => {
    deadlines.close()
    vi.useRealTimers()
  })

  it('expires requests in the order in which they started, each when its own time has passed', () => {
    const [first, second] = [request(), request()]
    deadlines.start(first)
    vi.advanceTimersByTime(600)
    deadlines.start(second)
    vi.advanceTimersByTime(600)
    expect(expired).toEqual([first])
    vi.advanceTimersByTime(600)
    expect(expired).toEqual([first, second])
  })

  it('leaves alone what has stopped, wherever it stood', () => {
    const requests = Array.from({ length: 5 }, () => request())
    const started = requests.map((req) => deadlines.start(req))
    for (const index of [0, 2, 4]) deadlines.stop(started[index] as (typeof started)[number])
    vi.advanceTimersByTime(2000)
    expect(expired).toEqual([requests[1], requests[3]])
  })

  it('can be stopped twice, and after it has expired', () => {
    const [first, second] = [request(), request()]
    const deadline = deadlines.start(first)
    deadlines.start(second)
    deadlines.stop(deadline)
    deadlines.stop(deadline)
    vi.advanceTimersByTime(2000)
    deadlines.stop(deadline)
    expect(expired).toEqual([second])
  })

  it('waits again for a request whose body is still coming in', () => {
    const slow = request({ complete: false })
    deadlines.start(slow)
    vi.advanceTimersByTime(1500)
    expect(expired).toEqual([])
    Object.assign(slow, { complete: true })
    vi.advanceTimersByTime(1500)
    expect(expired).toEqual([slow])
  })

  it('outlives an error handler that stops the next in line', () => {
    const requests = [request(), request(), request()]
    const started = new Map<BlazonRequest, ReturnType<Deadlines['start']>>()
    const own = new Deadlines(1, (_error, req) => {
      expired.push(req)
      const next = started.get(requests[1] as BlazonRequest)
      if (next !== undefined) own.stop(next)
    })
    for (const req of requests) started.set(req, own.start(req))
    vi.advanceTimersByTime(2000)
    own.close()
    expect(expired).toEqual([requests[0], requests[2]])
  })
})
