import { describe, expect, it, onTestFinished } from 'vitest'
import { joinReports, requestContext, startReports } from '../../src/pipeline/report-error.js'
import { turns } from '../journeys/turns.js'

describe('the logger of background work with `onError`', () => {
  const failed = new Error('no disk')
  const err = new Error('lost')

  it.each([
    [
      'throws',
      () => {
        throw failed
      },
    ],
    ['rejects', () => Promise.reject(failed)],
  ])(
    "reports the error even if the application's logger %s, and then fails in the same way",
    async (_, error) => {
      const reported: unknown[] = []
      const logger = { info() {}, warn() {}, error }
      const { logger: background } = startReports((each) => void reported.push(each), logger)
      const write = async () => background.error({ err }, 'Refreshing failed')
      await expect(write()).rejects.toBe(failed)
      expect(reported).toEqual([err])
    },
  )
})

describe('an error reporter that fails', () => {
  const failing: [string, () => unknown][] = [
    [
      'throws',
      () => {
        throw new Error('deaf')
      },
    ],
    ['rejects', () => Promise.reject(new Error('deaf'))],
  ]

  it.each(failing)('causes one log line and no other error if it %s', async (_, onError) => {
    const lines: unknown[] = []
    const unhandled: unknown[] = []
    const note = (reason: unknown) => void unhandled.push(reason)
    process.on('unhandledRejection', note)
    onTestFinished(() => void process.off('unhandledRejection', note))
    const error = (facts: { err?: Error }, message: string) => {
      lines.push([facts.err?.message, message])
      return Promise.reject(new Error('no disk')) as never
    }
    const { report } = startReports(onError as never, { info() {}, warn() {}, error })
    report?.(new Error('a bug'), () => ({ message: 'The request failed' }))
    await turns(5)
    expect(lines).toEqual([['deaf', 'onError failed, so an error was not reported']])
    expect(unhandled).toEqual([])
  })
})

describe('two functions that receive errors', () => {
  it('are called in their order, and each of them can be missing', () => {
    const calls: string[] = []
    const first = () => void calls.push('first')
    const second = () => void calls.push('second')
    expect([joinReports(first, null), joinReports(null, second)]).toEqual([first, second])
    expect(joinReports(null, null)).toBeNull()
    joinReports(first, second)?.(new Error('a bug'), () => ({ message: '' }))
    expect(calls).toEqual(['first', 'second'])
  })
})

describe('the context of a reported error', () => {
  it('is frozen, and has only the facts that the request has', () => {
    const req = { headers: {}, id: 'r-1', user: null } as never
    const context = requestContext(req, { status: 503, message: 'No' })
    expect(Object.isFrozen(context)).toBe(true)
    expect(Object.keys(context)).toEqual(['message', 'status', 'req', 'requestId', 'trace'])
    const ofUser = requestContext({ headers: {}, id: 'r-2', user: false } as never, {
      status: 500,
      message: 'No',
    })
    expect(ofUser).toMatchObject({ requestId: 'r-2', user: false })
  })
})
