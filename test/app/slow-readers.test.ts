import { AsyncLocalStorage } from 'node:async_hooks'
import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { SlowReaders } from '../../src/app/slow-readers.js'
import type { Timer } from '../../src/contracts/clock.js'
import type { Logger } from '../../src/contracts/logger.js'

/** A clock that rings by hand. */
class HandClock {
  time = 0
  readonly set: (() => void)[] = []
  now = () => this.time
  monotonic = () => this.time
  setInterval = (): Timer => ({ cancel() {} })
  setTimeout = (run: () => void): Timer => {
    this.set.push(run)
    return { cancel: () => void this.set.splice(this.set.indexOf(run), 1) }
  }

  ring(ms: number): void {
    this.time += ms
    for (const run of this.set.splice(0)) run()
  }
}

/** A connection that is not a socket of the network, as one that a program passes to the server. */
function connection(writableLength: number) {
  const state = { writableLength, bytesWritten: 0, isDestroyed: false }
  return Object.assign(state, {
    _httpMessage: { req: { method: 'GET', headers: {} } },
    destroy: () => {
      state.isDestroyed = true
    },
  })
}

function start(sockets: object[], logger: Partial<Logger> = { warn() {} }) {
  const clock = new HandClock()
  const connections = { list: () => sockets as Socket[] }
  const readers = new SlowReaders({ connections, clock, logger: logger as Logger, ms: 4 })
  return { clock, readers }
}

describe('the watch for slow readers', () => {
  it('uses one timer for all requests, and no timer while nothing is running', () => {
    const { clock, readers } = start([])
    expect(clock.set).toHaveLength(0)
    for (let i = 0; i < 5; i++) readers.watch()
    expect(clock.set).toHaveLength(1)
    clock.ring(1)
    expect(clock.set).toHaveLength(0)
    readers.watch()
    expect(clock.set).toHaveLength(1)
  })

  it('continues while a response is running, even if the response has no waiting data', () => {
    const { clock, readers } = start([connection(0)])
    readers.watch()
    for (let i = 0; i < 9; i++) clock.ring(1)
    expect(clock.set).toHaveLength(1)
  })

  it('sets its timers outside of the async context of the request that starts them', () => {
    const storage = new AsyncLocalStorage<string>()
    const { clock, readers } = start([connection(0)])
    const contexts: unknown[] = []
    const { setTimeout } = clock
    clock.setTimeout = (run) => {
      contexts.push(storage.getStore())
      return setTimeout(run)
    }
    storage.run('request', () => readers.watch())
    storage.run('other', () => clock.ring(1))
    expect(contexts).toEqual([undefined, undefined])
  })

  it('sets no timer after it is closed', () => {
    const { clock, readers } = start([])
    readers.watch()
    readers.close()
    readers.watch()
    expect(clock.set).toHaveLength(0)
  })

  it('measures the time since the client last received a byte', () => {
    const socket = connection(10)
    const { clock, readers } = start([socket])
    readers.watch()
    for (let i = 0; i < 20; i++) {
      clock.ring(3)
      socket.writableLength -= 1
      if (socket.writableLength === 1) socket.writableLength = 10
    }
    expect(socket.isDestroyed).toBe(false)
    // The handler writes more, and the client takes none of it.
    for (const more of [1, 1, 1]) {
      clock.ring(2)
      socket.bytesWritten += more
      socket.writableLength += more
    }
    expect(socket.isDestroyed).toBe(true)
  })

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('full')
      },
    ],
    ['rejects', () => Promise.reject(new Error('full'))],
  ])('ends all slow connections even if the logger %s', (_how, warn) => {
    const sockets = [connection(1), connection(1)]
    const { clock, readers } = start(sockets, { warn: warn as Logger['warn'] })
    readers.watch()
    clock.ring(1)
    clock.ring(4)
    expect(sockets.map(({ isDestroyed }) => isDestroyed)).toEqual([true, true])
  })

  it('logs the method and the time limit, but neither the URL nor the headers', () => {
    const lines: unknown[] = []
    const socket = connection(1)
    Object.assign(socket._httpMessage.req, { url: '/secret', originalUrl: '/secret' })
    const { clock, readers } = start([socket], { warn: (facts) => void lines.push(facts) })
    readers.watch()
    clock.ring(1)
    clock.ring(4)
    expect(lines).toEqual([{ method: 'GET', seconds: 0.004 }])
  })

  it('counts from the moment at which data waits, not from an earlier response', () => {
    const socket = connection(1)
    const { clock, readers } = start([socket])
    readers.watch()
    clock.ring(1)
    socket.writableLength = 0
    clock.ring(3)
    socket.writableLength = 1
    clock.ring(3)
    expect(socket.isDestroyed).toBe(false)
    clock.ring(4)
    expect(socket.isDestroyed).toBe(true)
  })
})
