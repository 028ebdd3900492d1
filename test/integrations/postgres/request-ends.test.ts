import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { kIsExpired } from '../../../src/http/symbol-fields.js'
import {
  RequestWork,
  trackEnd,
  type WorkHold,
} from '../../../src/integrations/postgres/sessions/request-work.js'
import { gate } from '../../journeys/gate.js'
import { turns } from '../../journeys/turns.js'

/** The work of a request whose response the test ends. */
function open({ isTransactional = false, failures = 0, commit = async () => {}, req = {} } = {}) {
  const res = new ServerResponse(new IncomingMessage(new Socket()))
  const log: string[] = []
  const transaction = {
    commit: async () => {
      log.push('commit')
      await commit()
    },
    rollback: async () => void log.push('rollback'),
  }
  let held: WorkHold | undefined
  const config = {
    ...{ owner: null, isTransactional },
    begin: async () => {
      log.push('begin')
      if (failures-- > 0) throw new Error('busy')
      return transaction as never
    },
    finish: async () => void log.push('finish'),
  }
  const hold = (given: WorkHold) => {
    log.push('hold')
    held = given
  }
  const parts = { req: req as never, res: res as never, fail: () => {}, hold }
  const work = new RequestWork(config, parts)
  const end = (status: number) => held?.before(status)
  return { work, res, log, end }
}

const ROLLED_BACK = /its transaction was rolled back before the statement was sent/

describe('the transaction of a request', () => {
  it('begins once, with the first statement, and delays the response once', async () => {
    const { work, log, end } = open()
    expect([work.isCommitted, log]).toEqual([false, []])
    expect(await work.transaction()).toBe(await work.transaction())
    expect(log).toEqual(['begin', 'hold'])
    await end(200)
    expect(log.slice(2)).toEqual(['commit', 'finish'])
    expect(work.isCommitted).toBe(true)
  })

  it('delays the response once, even if no connection was available at first', async () => {
    const { work, log, end } = open({ failures: 1 })
    await expect(work.transaction()).rejects.toThrow('busy')
    await work.transaction()
    expect(log).toEqual(['begin', 'hold', 'begin'])
    await end(200)
    expect(log.slice(3)).toEqual(['commit', 'finish'])
  })

  it('does not exist if no connection was available', async () => {
    const { work, log, end } = open({ failures: 1 })
    await expect(work.transaction()).rejects.toThrow('busy')
    await end(200)
    expect(log).toEqual(['begin', 'hold'])
  })

  it('is not followed by other statements if its commit fails', async () => {
    const { work, log, end } = open({ commit: () => Promise.reject(new Error('refused')) })
    await work.transaction()
    await expect(end(200)).rejects.toThrow('refused')
    expect([work.isCommitted, log.slice(2)]).toEqual([false, ['commit']])
    expect(() => work.transaction()).toThrow(ROLLED_BACK)
  })

  it('is not rolled back if the client disconnects during its commit', async () => {
    const saved = gate()
    const { work, res, log, end } = open({ commit: () => saved.opened })
    await work.transaction()
    const ended = end(200)
    res.emit('close')
    await turns(5)
    saved.open()
    await ended
    expect(log.slice(2)).toEqual(['commit', 'finish'])
  })

  it('is not begun after a timeout, even if the response was sent', () => {
    const { work, res, log } = open({ req: { [kIsExpired]: true } })
    Object.defineProperty(res, 'headersSent', { value: true })
    expect(work.isCommitted).toBe(false)
    expect(() => work.transaction()).toThrow(ROLLED_BACK)
    expect(log).toEqual([])
  })

  it('is not begun after the client has disconnected', () => {
    const { work, res, log } = open()
    Object.defineProperty(res, 'closed', { value: true })
    expect(() => work.transaction()).toThrow(ROLLED_BACK)
    expect(log).toEqual([])
  })

  it.each([
    [200, ['commit', 'finish']],
    [499, ['commit', 'finish']],
    [500, ['rollback']],
  ])('is committed or rolled back before a response with the status %i', async (status, ends) => {
    const { work, log, end } = open()
    await work.transaction()
    await end(status)
    expect(log.slice(2)).toEqual(ends)
    expect(work.isCommitted).toBe(status < 500)
    if (status === 500) expect(() => work.transaction()).toThrow(ROLLED_BACK)
  })

  it('is rolled back if the client disconnects, and not after its commit', async () => {
    const { work, res, log } = open()
    await work.transaction()
    res.emit('close')
    await turns(5)
    expect(log.slice(2)).toEqual(['rollback'])
    const other = open()
    await other.work.transaction()
    await other.end(200)
    other.res.emit('close')
    await turns(5)
    expect(other.log.slice(2)).toEqual(['commit', 'finish'])
  })

  it('can be taken over by a stream, which ends it', async () => {
    const { work, log, end } = open()
    const transaction = await work.transaction()
    expect(await work.handOver()).toBe(transaction)
    expect(work.isCommitted).toBe(true)
    await end(500)
    expect(log).toEqual(['begin', 'hold'])
    const unbegun = open()
    await unbegun.work.handOver()
    expect(unbegun.log).toEqual(['begin'])
    const failed = open()
    failed.work.fail()
    expect(() => failed.work.handOver()).toThrow(ROLLED_BACK)
  })

  it('is not begun by statements after a failed handler, but separately after another handler', () => {
    const failed = open()
    failed.work.fail()
    expect(failed.work.isCommitted).toBe(false)
    expect(() => failed.work.transaction()).toThrow(ROLLED_BACK)
    const ended = open()
    ended.work.leave()
    expect(ended.work.isCommitted).toBe(true)
  })

  it('stays open when the handler has ended, until the response', async () => {
    for (const leave of ['leave', 'fail'] as const) {
      const { work, log, end } = open()
      await work.transaction()
      work[leave]()
      expect(work.isCommitted).toBe(false)
      await end(200)
      expect(log.slice(2)).toEqual(['commit', 'finish'])
    }
  })

  it('is the first block of a handler with @Transactional(), once', () => {
    const { work } = open({ isTransactional: true })
    expect([work.takeHandler(), work.takeHandler()]).toEqual([true, false])
    expect(open().work.takeHandler()).toBe(false)
  })
})

describe('the end of a handler', () => {
  const track = (next: (res: ServerResponse) => unknown) => {
    const opened = open()
    const { work, res } = opened
    const value = (() => {
      try {
        return trackEnd(work, res as never, () => next(res))
      } catch (error) {
        return error
      }
    })()
    return { ...opened, value }
  }

  it('is its return, with its value', async () => {
    const returned = track(() => 7)
    expect([returned.value, returned.work.isCommitted]).toEqual([7, true])
    const resolved = track(async () => 7)
    expect(resolved.work.isCommitted).toBe(false)
    expect([await resolved.value, resolved.work.isCommitted]).toEqual([7, true])
    const query = track(() => ({ then: (resolve: (value: number) => void) => resolve(8) }))
    expect(await query.value).toBe(8)
  })

  it('is its error, which stays the same', async () => {
    const error = new Error('no')
    const thrown = track(() => {
      throw error
    })
    expect([thrown.value, thrown.work.isCommitted]).toEqual([error, false])
    const rejected = track(() => Promise.reject(error))
    await expect(rejected.value).rejects.toBe(error)
    expect(() => rejected.work.transaction()).toThrow(ROLLED_BACK)
  })

  it('is the end of the response if it returns nothing or the response', async () => {
    for (const next of [() => undefined, (res: unknown) => res, async () => undefined]) {
      const { work, res, value } = track(next)
      await value
      expect(work.isCommitted).toBe(false)
      res.emit('close')
      expect(work.isCommitted).toBe(true)
    }
    const ended = track((res) => void res.end())
    const closed = track((res) => void Object.defineProperty(res, 'closed', { value: true }))
    expect([ended.work.isCommitted, closed.work.isCommitted]).toEqual([true, true])
  })
})
