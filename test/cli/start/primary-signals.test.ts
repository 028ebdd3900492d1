import { afterEach, expect, it, vi } from 'vitest'
import { listenToSignals } from '../../../src/cli/start/run-workers.js'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** What signals make of a crew. No signal is sent: the test process has other listeners. */
function listen() {
  vi.useFakeTimers({ toFake: ['performance'] })
  const calls: string[] = []
  const listeners = new Map<string | symbol, (signal: NodeJS.Signals) => void>()
  vi.spyOn(process, 'on').mockImplementation((name, listener) => {
    listeners.set(name, listener as never)
    return process
  })
  listenToSignals({
    restart: () => void calls.push('restart'),
    end: (signal) => void calls.push(`end ${signal}`),
    kill: (() => void calls.push('kill')) as () => never,
  })
  const send = (signal: NodeJS.Signals) => listeners.get(signal)?.(signal)
  return { calls, send }
}

it('the same signal counts as a second signal only after 250 ms, because npm repeats terminal signals', () => {
  const { calls, send } = listen()
  send('SIGINT')
  vi.advanceTimersByTime(249)
  send('SIGINT')
  expect(calls).toEqual(['end SIGINT'])
  vi.advanceTimersByTime(1)
  send('SIGINT')
  expect(calls).toEqual(['end SIGINT', 'kill'])
})

it('a different signal immediately counts as a second signal', () => {
  const { calls, send } = listen()
  send('SIGINT')
  send('SIGTERM')
  expect(calls).toEqual(['end SIGINT', 'kill'])
})
