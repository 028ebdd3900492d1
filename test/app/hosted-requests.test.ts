import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { HostedRequests } from '../../src/app/hosted-requests.js'
import { turns } from '../journeys/turns.js'

/** A response of a platform that replaces the class of Node. */
function response(more: Partial<ServerResponse> = {}) {
  const state = { shouldKeepAlive: true, writableFinished: false, destroyed: false }
  const made = Object.assign(new EventEmitter(), state, {
    destroy() {
      made.destroyed = true
    },
    ...more,
  })
  return made as typeof made & ServerResponse
}

function start(...responses: ServerResponse[]) {
  const notified: ServerResponse[] = []
  const requests = new HostedRequests((res) => void notified.push(res))
  for (const each of responses) requests.add(each)
  return { requests, notified }
}

/** Whether a promise settles within some turns of the event loop. */
async function settles(promise: Promise<unknown>): Promise<boolean> {
  let isSettled = false
  void promise.then(() => {
    isSettled = true
  })
  await turns(5)
  return isSettled
}

describe('the requests of a host', () => {
  it.each(['finish', 'close'])(
    'are awaited until the only event of their response: %s',
    async (event) => {
      const res = response()
      const { requests } = start(res)
      const quiet = requests.quiet()
      expect(await settles(quiet)).toBe(false)
      res.emit(event)
      expect(await settles(quiet)).toBe(true)
    },
  )

  it.each([
    ['finished', { writableFinished: true }],
    ['destroyed', { destroyed: true }],
  ])('are not awaited, notified or cut if their response is already %s', async (_, state) => {
    const { requests, notified } = start(response(state))
    const cuts: ServerResponse[] = []
    requests.sweep()
    requests.abort()
    requests.cut((res) => void cuts.push(res))
    expect(await settles(requests.quiet())).toBe(true)
    expect([notified, cuts]).toEqual([[], []])
  })

  it('are not awaited if they arrive later, or after the host handles them again', async () => {
    const passed = response()
    const { requests } = start(passed)
    requests.remove(passed)
    const quiet = requests.quiet()
    requests.add(response())
    expect(await settles(quiet)).toBe(true)
  })

  it('are no longer awaited after they were cut, even if they emit no event', async () => {
    const all = [response(), response()]
    const { requests } = start(...all)
    const quiet = requests.quiet()
    const cuts: ServerResponse[] = []
    requests.cut((res) => void cuts.push(res))
    expect(cuts).toEqual(all)
    expect(all.map(({ destroyed }) => destroyed)).toEqual([true, true])
    expect(await settles(quiet)).toBe(true)
  })

  it('send Connection: close, and are notified if their response has begun', () => {
    const begun = response({ headersSent: true, writableEnded: false })
    const ended = response({ headersSent: true, writableEnded: true })
    const waiting = response({ headersSent: false, writableEnded: false })
    const { requests, notified } = start(begun, ended, waiting)
    requests.announce()
    expect([begun, ended, waiting].map((res) => res.shouldKeepAlive)).toEqual([false, false, false])
    expect(notified).toEqual([])
    requests.sweep()
    expect(notified).toEqual([begun])
    requests.abort()
    expect(notified.slice(1)).toEqual([begun, ended, waiting])
  })
})
