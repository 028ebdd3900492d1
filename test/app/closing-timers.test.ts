import { App, Controller, Get } from 'blazon'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { closingTimer, type NoteCut, settlesWithin } from '../../src/app/closing.js'
import { type ShutDown, shutDown } from '../../src/app/shut-down.js'
import { gate } from '../journeys/gate.js'
import { turns } from '../journeys/turns.js'

/** Aborts no request. */
const noCut = (_note: NoteCut) => {}

/** A clock whose timers fire only when the test calls `ring`, and that counts the running ones. */
function clockOf() {
  const running = new Set<object>()
  const rings: (() => void)[] = []
  const setTimeout = (run: () => void) => {
    const timer = { cancel: () => void running.delete(timer) }
    running.add(timer)
    rings.push(run)
    return timer
  }
  const ring = () => rings.splice(0).forEach((run) => void run())
  return { running, ring, clock: { setTimeout, now: () => 0, monotonic: () => 0 } as never }
}

describe('the time limit of a hook', () => {
  it('ends with the hook, so that it does not keep the process running', async () => {
    const { running, clock } = clockOf()
    expect(await settlesWithin({ clock, ms: 5000 }, Promise.resolve())).toBe(true)
    expect(running.size).toBe(0)
    const failed = settlesWithin({ clock, ms: 5000 }, Promise.reject(new Error('hook')))
    await expect(failed).rejects.toThrow('hook')
    expect(running.size).toBe(0)
  })
})

describe('a timer for closing', () => {
  afterEach(() => void vi.useRealTimers())

  it.each(['the clock of the application', 'real time'])(
    'runs once and leaves no other timer if %s reaches its time first',
    (first) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      const { running, ring, clock } = clockOf()
      const run = vi.fn()
      closingTimer(clock, 5000, run)
      if (first === 'real time') vi.advanceTimersByTime(5000)
      else ring()
      expect([run.mock.calls.length, running.size, vi.getTimerCount()]).toEqual([1, 0, 0])
    },
  )

  it('does not run early if its time is longer than the longest time of Node', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const run = vi.fn()
    const timer = closingTimer(clockOf().clock, 2 ** 31, run)
    vi.advanceTimersByTime(60_000)
    expect(run).not.toHaveBeenCalled()
    timer.cancel()
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('closing an application', () => {
  afterEach(() => void vi.useRealTimers())

  /** Closes, in fake time, an application that listens and has one request, which ends when the test says so. */
  function close(graceMs: number, more: Partial<Omit<ShutDown, 'connections'>> = {}, cut = noCut) {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
    const { running, clock } = clockOf()
    const calls: string[] = []
    let quiet = () => {}
    const until = new Promise<void>((resolve) => {
      quiet = resolve
    })
    const connections = {
      announce: () => void calls.push('announce'),
      sweep: (count: number) => void calls.push(`sweep ${count}`),
      quiet: () => until,
      abort: () => void calls.push('abort'),
      cut: (note: NoteCut) => {
        calls.push('cut')
        cut(note)
      },
      end: async () => {},
    }
    const hostedRequests = {
      announce() {},
      sweep() {},
      quiet: async () => {},
      abort() {},
      cut() {},
    }
    const server = { listening: true, close: (closed: () => void) => closed() }
    const closing = shutDown({
      ...{ server, connections, hostedRequests, clock, graceMs, preStopMs: 0, isBySignal: false },
      ...{ logger: { error() {} }, closeRest: async () => {} },
      ...more,
    } as never)
    closing.catch(() => {})
    const timers = () => [running.size, vi.getTimerCount()]
    return { closing, calls, timers, quiet: () => quiet() }
  }

  it.each([
    ['10 s', 10_000, 8000],
    ['2 s', 2000, 1000],
  ])('aborts requests before the end of timeouts.close: %s', async (_, graceMs, warnMs) => {
    const { closing, calls, quiet } = close(graceMs)
    const seen = () => calls.filter((call) => !call.startsWith('sweep'))
    await vi.advanceTimersByTimeAsync(warnMs - 1)
    expect(seen()).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(seen()).toEqual(['abort'])
    await vi.advanceTimersByTimeAsync(graceMs - warnMs)
    expect(seen()).toEqual(['abort', 'cut'])
    quiet()
    await closing
  })

  it.each<[string, () => Promise<void>]>([
    ['it succeeds', async () => {}],
    ['an onClose fails', () => Promise.reject(new Error('stuck'))],
  ])('leaves no timer behind if %s', async (_, closeRest) => {
    const options = { isBySignal: true, preStopMs: 1000, closeRest }
    const { closing, timers, quiet } = close(10_000, options)
    await vi.advanceTimersByTimeAsync(1000)
    await turns(5)
    quiet()
    await closing.catch(() => {})
    expect(timers()).toEqual([0, 0])
  })

  it('announces its end every 100 ms after a signal, and then waits three sweeps for requests', async () => {
    const { closing, calls, quiet } = close(10_000, { isBySignal: true, preStopMs: 250 })
    expect(calls).toEqual(['announce'])
    await vi.advanceTimersByTimeAsync(249)
    expect(calls).toEqual(['announce', 'announce', 'announce'])
    await vi.advanceTimersByTimeAsync(1)
    await turns(5)
    await vi.advanceTimersByTimeAsync(100)
    expect(calls.slice(3)).toEqual(['sweep 3', 'sweep 3'])
    quiet()
    await closing
  })

  it('logs the number of all aborted requests, and the names of at most 50 routes', async () => {
    const logged: [{ count: number; cut: Record<string, number> }, string][] = []
    const logger = { error: (...line: never) => void logged.push(line) }
    const { closing, quiet } = close(10, { logger: logger as never }, (note) => {
      for (let index = 0; index < 60; index++) {
        const route = { path: `/${index}`, controller: Object }
        note({ req: { method: 'GET', route } } as never)
      }
      note({ req: { method: 'PUT', route: { path: '/secret' } } } as never)
      note({ req: { method: 'GET', route: { path: '/0', controller: Object } } } as never)
    })
    await vi.advanceTimersByTimeAsync(10)
    quiet()
    expect(await closing).toBe(62)
    const message = 'Requests were aborted because they did not end before the application closed'
    expect(logged).toMatchObject([[{ count: 62 }, message]])
    const names = Object.entries(logged[0]?.[0].cut ?? {})
    expect([names.length, names[0], names[49]]).toEqual([50, ['GET /0', 2], ['GET /49', 1]])
  })

  it('names no path of a request without a route of the application', async () => {
    const logged: object[] = []
    const logger = { error: (facts: object) => void logged.push(facts) }
    const { closing, quiet } = close(10, { logger: logger as never }, (note) => {
      note({ req: { method: 'PUT', route: { path: '/secret' } } } as never)
      note({ req: { method: 'GET' } } as never)
    })
    await vi.advanceTimersByTimeAsync(10)
    quiet()
    await closing
    expect(logged).toEqual([{ count: 2, cut: { 'PUT (no route)': 1, 'GET (no route)': 1 } }])
  })
})

describe('a closed application', () => {
  afterEach(() => void vi.useRealTimers())

  @Controller()
  class SlowController {
    @Get() async get() {
      await released.opened
      return {}
    }
  }
  const released = gate()

  it('leaves no timer of its requests behind', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
    const app = new App({ controllers: [SlowController], logger: false })
    const answer = app.fetch(new Request('http://localhost/'))
    while (vi.getTimerCount() < 2) await turns(1)
    released.open()
    expect((await answer).status).toBe(200)
    // The time limit of the handler, and the check for clients that do not read.
    expect(vi.getTimerCount()).toBe(2)
    await app.close()
    expect(vi.getTimerCount()).toBe(0)
  })
})
