import { EventEmitter } from 'node:events'
import type { Request, Response } from 'blazon'
import { PostgresError } from 'blazon/postgres'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { pauseBefore, runRetried } from '../../../src/integrations/postgres/sessions/retries.js'

beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0))

const CONFLICT = new PostgresError('serialize', { code: '40001' })

/** A response whose status and headers can be set, like that of Node. */
class FakeResponse extends EventEmitter {
  headersSent = false
  closed = false
  readonly headers = new Map<string, string>()
  getHeaders = () => Object.fromEntries(this.headers)
  hasHeader = (name: string) => this.headers.has(name)
  setHeader = (name: string, value: string) => void this.headers.set(name, value)
  removeHeader = (name: string) => void this.headers.delete(name)
}
Object.defineProperty(FakeResponse.prototype, 'statusCode', { value: 200, writable: true })

type Attempt = (res: FakeResponse & { statusCode: number }) => unknown

/** Runs attempts. Each has a transaction, whose ends are listed with the statuses that the attempt has had. */
async function run(attempts: readonly Attempt[], retries = 3) {
  const res = new FakeResponse() as FakeResponse & { statusCode: number }
  res.setHeader('x-before', 'kept')
  const ends: number[] = []
  let count = 0
  const parts = {
    req: {} as Request,
    res: res as unknown as Response,
    fail: () => ends.push(-1),
    retries,
  }
  const outcome = await runRetried(parts, async ({ hold }) => {
    hold?.({ before: async (status) => void ends.push(status), refused: () => {} })
    return await attempts[count++]?.(res)
  }).then(
    (value) => value,
    (error: Error) => error,
  )
  return { res, ends, outcome, count }
}

describe('a handler that is retried', () => {
  it('runs again after a conflict, until it succeeds, and is committed once', async () => {
    const conflict = () => Promise.reject(CONFLICT)
    const { ends, outcome, count } = await run([conflict, conflict, () => 'done'])
    expect([outcome, count, ends]).toEqual(['done', 3, [500, 500, 200]])
  })

  it('runs at most as often as its retries allow', async () => {
    const attempts = Array(9).fill(() => Promise.reject(CONFLICT))
    const { outcome, count } = await run(attempts, 2)
    expect([outcome, count]).toEqual([CONFLICT, 3])
  })

  it('does not run again after another error, or after the response has begun or ended', async () => {
    const other = new PostgresError('duplicate', { code: '23505' })
    expect(await run([() => Promise.reject(other)])).toMatchObject({ outcome: other, count: 1 })
    for (const end of ['headersSent', 'closed'] as const) {
      const ended = await run([
        (res) => {
          res[end] = true
          return Promise.reject(CONFLICT)
        },
      ])
      expect(ended).toMatchObject({ outcome: CONFLICT, count: 1 })
    }
  })

  it('does not run again if the client disconnects during the pause', async () => {
    const ended = await run([
      (res) => {
        setImmediate(() => {
          res.closed = true
        })
        return Promise.reject(CONFLICT)
      },
      () => 'done',
    ])
    expect([ended.outcome, ended.count]).toEqual([CONFLICT, 1])
  })

  it('has the headers and the status of the first attempt again', async () => {
    const seen: unknown[] = []
    const { outcome } = await run([
      (res) => {
        res.statusCode = 201
        res.setHeader('x-added', '1')
        res.setHeader('x-before', 'changed')
        return Promise.reject(CONFLICT)
      },
      (res) => {
        seen.push(res.getHeaders(), Object.hasOwn(res, 'statusCode'))
        res.removeHeader('x-before')
        return Promise.reject(CONFLICT)
      },
      (res) => seen.push(res.getHeaders()),
    ])
    expect(outcome).toBe(3)
    expect(seen).toEqual([{ 'x-before': 'kept' }, false, { 'x-before': 'kept' }])
  })

  it('is not committed before a response that has failed', async () => {
    const { ends, outcome } = await run([
      (res) => {
        res.statusCode = 503
        return 'failed'
      },
    ])
    expect([outcome, ends]).toEqual(['failed', []])
  })
})

it('the pauses between attempts double, up to half a second', async () => {
  vi.mocked(Math.random).mockReturnValue(1)
  const waits: number[] = []
  const spy = vi.spyOn(globalThis, 'setTimeout')
  spy.mockImplementation(((run: () => void, ms: number) => {
    waits.push(ms)
    run()
    return { unref() {}, refresh() {} }
  }) as never)
  for (const attempt of [1, 2, 3, 5, 6, 50]) await pauseBefore(attempt)
  spy.mockRestore()
  expect(waits).toEqual([20, 40, 80, 320, 500, 500])
})
