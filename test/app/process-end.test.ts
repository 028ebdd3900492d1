import { get as httpGet } from 'node:http'
import type { AddressInfo } from 'node:net'
import { App } from 'blazon'
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest'
import { ProcessEnd } from '../../src/app/signals.js'
import { gate } from '../journeys/gate.js'
import { turns } from '../journeys/turns.js'
import { readApp } from './read-app.js'

const LINK = Symbol.for('blazon.worker')
const EVENTS = ['SIGTERM', 'SIGINT', 'uncaughtException'] as const
type Listener = (...args: readonly unknown[]) => void

const listenersOf = (event: string): Listener[] => process.listeners(event as 'exit') as Listener[]

let before: Map<string, readonly Listener[]>
let exit: MockInstance<typeof process.exit>
let lines: [level: string, facts: object, message: string][]

const logger = {
  info: (facts: object, message: string) => void lines.push(['info', facts, message]),
  warn: (facts: object, message: string) => void lines.push(['warn', facts, message]),
  error: (facts: object, message: string) => void lines.push(['error', facts, message]),
}

beforeEach(() => {
  before = new Map(EVENTS.map((event) => [event, listenersOf(event)]))
  lines = []
  exit = vi.spyOn(process, 'exit').mockImplementation((() => {}) as never)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  for (const event of EVENTS) for (const own of added(event)) process.off(event, own)
  vi.useRealTimers()
  exit.mockRestore()
  process.exitCode = undefined
  Reflect.deleteProperty(globalThis, LINK)
})

/** The listeners of the applications of this test. The test calls them itself, so the process receives no signal. */
const added = (event: string) =>
  listenersOf(event).filter((each) => before.get(event)?.includes(each) === false)

/** Calls the listeners as for a signal, or for an error that was not caught. */
function emit(event: (typeof EVENTS)[number], ...args: readonly unknown[]): void {
  for (const listener of added(event)) listener(...args)
}

/** An application whose `close` the test ends. */
function start(close: (signal?: string) => Promise<void> = async () => {}, isForced = false) {
  const calls: (string | undefined)[] = []
  const clock = { setTimeout: () => ({ cancel() {} }) } as never
  const end = new ProcessEnd({
    close: (signal) => {
      calls.push(signal)
      return close(signal)
    },
    isForced: () => isForced,
    clock,
    logger,
  })
  return { calls, end }
}

const never = () => new Promise<void>(() => {})
const exits = () => exit.mock.calls.map(([code]) => code)

describe('a process with an application that listens to signals', () => {
  it('closes the application with the name of the signal, and then ends', async () => {
    const closed = gate()
    const { calls, end } = start(() => closed.opened)
    expect(end.hasBegun).toBe(false)
    emit('SIGINT')
    await turns(5)
    expect([calls, end.hasBegun, exits()]).toEqual([['SIGINT'], true, []])
    expect(lines).toEqual([['info', { signal: 'SIGINT' }, 'Closing']])
    closed.open()
    await turns(5)
    expect([exits(), process.exitCode]).toEqual([[undefined], undefined])
    expect(EVENTS.map((event) => added(event).length)).toEqual([0, 0, 0])
  })

  it('ignores the same signal for 250 ms, and ends with code 1 at a later one', () => {
    const { calls } = start(never)
    emit('SIGTERM')
    vi.advanceTimersByTime(249)
    emit('SIGTERM')
    expect([calls, exits()]).toEqual([['SIGTERM'], []])
    vi.advanceTimersByTime(1)
    emit('SIGTERM')
    expect([calls, exits()]).toEqual([['SIGTERM'], [1]])
    const message = 'A second signal arrived: the process ends before the application is closed'
    expect(lines.at(-1)).toEqual(['warn', { signal: 'SIGTERM' }, message])
  })

  it('ends with code 1 at another signal, even immediately', () => {
    start(never)
    emit('SIGTERM')
    emit('SIGINT')
    expect(exits()).toEqual([1])
  })

  it('counts the next signal as the first one if another worker has replaced it', () => {
    Object.defineProperty(globalThis, LINK, { value: { isRetired: true }, configurable: true })
    const { calls } = start(never)
    emit('SIGTERM')
    vi.advanceTimersByTime(1000)
    for (const signal of ['SIGINT', 'SIGINT'] as const) emit(signal)
    expect([calls, exits()]).toEqual([['SIGTERM'], []])
    emit('SIGTERM')
    expect(exits()).toEqual([1])
  })

  it('has the exit code 1 if requests were aborted', async () => {
    start(undefined, true)
    emit('SIGTERM')
    await turns(5)
    expect([exits(), process.exitCode]).toEqual([[undefined], 1])
  })

  it.each([
    ['every error of an AggregateError', new AggregateError(['a', 'b']), ['a', 'b']],
    ['any other error', 'a', ['a']],
  ])('logs %s of close(), and has the exit code 1', async (_, error, logged) => {
    start(() => Promise.reject(error))
    emit('SIGTERM')
    await turns(5)
    const failed = logged.map((err) => ['error', { err }, 'Closing the application failed'])
    expect(lines.slice(1)).toEqual(failed)
    expect([exits(), process.exitCode]).toEqual([[undefined], 1])
  })

  it('ends when the last of several applications is closed', async () => {
    const closed = gate()
    start()
    start(() => closed.opened)
    emit('SIGTERM')
    await turns(5)
    expect(exits()).toEqual([])
    closed.open()
    await turns(5)
    expect(exits()).toEqual([undefined])
  })
})

describe('an error that was not caught', () => {
  const fault = new Error('fault')

  it('is logged, closes the application, and sets the exit code 1', async () => {
    const { calls } = start()
    emit('uncaughtException', fault, 'unhandledRejection')
    await turns(5)
    const facts = { err: fault, origin: 'unhandledRejection' }
    expect(lines).toEqual([['error', facts, 'An error was not caught. The application is closing']])
    expect([calls, exits(), process.exitCode]).toEqual([[undefined], [undefined], 1])
  })

  it('ends the process after ten seconds if the application does not close', () => {
    start(never)
    emit('uncaughtException', fault, 'uncaughtException')
    vi.advanceTimersByTime(9999)
    expect(exits()).toEqual([])
    vi.advanceTimersByTime(1)
    expect(exits()).toEqual([1])
  })

  it('closes the application once for several errors, and a signal then ends the process', () => {
    const { calls } = start(never)
    for (const error of [fault, new Error('later')]) emit('uncaughtException', error, 'rejection')
    expect([calls, exits(), lines.length]).toEqual([[undefined], [], 2])
    emit('SIGTERM')
    expect([calls, exits()]).toEqual([[undefined], [1]])
  })

  it('changes only the exit code while the application is already closing', async () => {
    const { calls } = start(never)
    emit('SIGTERM')
    emit('uncaughtException', fault, 'uncaughtException')
    vi.advanceTimersByTime(20_000)
    expect([calls, exits(), process.exitCode]).toEqual([['SIGTERM'], [], 1])
    expect(lines.at(-1)?.[1]).toEqual({ err: fault, origin: 'uncaughtException' })
  })
})

describe('listen() with signals', () => {
  const counts = () => EVENTS.map((event) => added(event).length)
  const place = { host: '127.0.0.1', signals: true, announce: false }

  it('removes its listeners when the application is closed without a signal', async () => {
    const app = new App({ logger })
    await app.listen(0, place)
    expect(counts()).toEqual([1, 1, 1])
    await app.close()
    expect([counts(), exits()]).toEqual([[0, 0, 0], []])
  })

  it('removes its listeners if the start fails, but not if only a second listen() fails', async () => {
    const failing = new App({ controllers: {} as never, logger })
    await expect(failing.listen(0, place)).rejects.toThrow('controllers')
    expect(counts()).toEqual([0, 0, 0])
    const app = new App({ logger })
    await app.listen(0, place)
    await expect(app.listen(0, place)).rejects.toMatchObject({ code: 'ERR_SERVER_ALREADY_LISTEN' })
    expect(counts()).toEqual([1, 1, 1])
    await app.close()
  })

  it.each(['a request was aborted', 'the startup did not finish'])(
    'sets the exit code 1 if %s, because closing took too long',
    async (why) => {
      const [entered, never] = [gate(), gate()]
      const isStuck = why.startsWith('the startup')
      const plugins = isStuck ? [{ name: 'stuck', onInit: () => never.opened }] : []
      const middlewares = [() => entered.open()]
      const app = new App({ plugins, middlewares, logger, timeouts: { close: '10s' } })
      const listening = app.listen(0, place)
      if (isStuck) await turns()
      else {
        await listening
        httpGet({ port: (app.server.address() as AddressInfo).port }).on('error', () => {})
        await entered.opened
      }
      emit('SIGTERM')
      await turns()
      await vi.advanceTimersByTimeAsync(9999)
      expect([exits(), process.exitCode]).toEqual([[], undefined])
      await vi.advanceTimersByTimeAsync(1)
      while (exits().length === 0) await turns(1)
      expect([exits(), process.exitCode]).toEqual([[undefined], 1])
      never.open()
      await turns()
    },
  )

  it('adds no listener in an application that is only read', async () => {
    const { app, starting } = await readApp({ logger })
    void app.listen(0, place)
    await turns()
    expect([counts(), starting]).toEqual([[0, 0, 0], [app]])
  })

  it('never settles if a signal ends the process during the start', async () => {
    const started = gate()
    const plugins = [{ name: 'slow', onInit: () => started.opened }]
    const app = new App({ plugins, logger })
    let isSettled = false
    const settle = () => {
      isSettled = true
    }
    app.listen(0, place).then(settle, settle)
    await turns()
    emit('SIGTERM')
    started.open()
    await turns()
    expect([isSettled, exits()]).toEqual([false, [undefined]])
  })
})
