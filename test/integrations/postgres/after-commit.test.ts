import { expect, it, onTestFinished, vi } from 'vitest'
import { Sessions } from '../../../src/integrations/postgres/sessions/sessions.js'
import { turns } from '../../journeys/turns.js'
import { acceptingDriver } from './accepting-driver.js'

const STATEMENT_MS = 10_000

/**
 * Sessions over a connection that accepts every statement, with lists of what was sent and logged.
 *
 * @param failure Thrown in place of each line of the log; `null` for a logger that works.
 */
function openSessions(failure: Error | null = null) {
  const { driver, log: sent } = acceptingDriver()
  const logged: string[] = []
  const note = (facts: object) => void logged.push(String((facts as { err: unknown }).err))
  const logger = () => {
    if (failure !== null) throw failure
    return { info() {}, warn() {}, error: note }
  }
  const sessions = new Sessions(driver, {
    logger,
    tenantRole: 'tenant',
    allTenantsRole: 'all',
    statementMs: STATEMENT_MS,
    idleInTransactionMs: 1000,
    isEmbedded: false,
  })
  return { sessions, sent, logged }
}

it('after its commit, a transaction waits for afterCommit() functions up to the statement timeout', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { sessions, sent, logged } = openSessions()
  const done: string[] = []
  const saving = sessions.block(null, async () => {
    await sessions.afterCommit(() => void done.push('first'))
    await sessions.afterCommit(() => new Promise(() => {}))
    await sessions.afterCommit(async () => void done.push('last'))
    return 'saved'
  })
  await turns()
  vi.advanceTimersByTime(STATEMENT_MS - 1)
  await turns()
  expect([done, logged]).toEqual([['first'], []])
  vi.advanceTimersByTime(1)
  expect(await saving).toBe('saved')
  expect(done).toEqual(['first', 'last'])
  expect(vi.getTimerCount()).toBe(0)
  expect(logged).toEqual([`Error: It did not finish within ${STATEMENT_MS} ms.`])
  expect(sent.slice(-2)).toEqual(['1 COMMIT', '1 release'])
})

it('functions passed to afterCommit() run once after a commit, and never after a rollback', async () => {
  const { sessions, logged } = openSessions()
  const done: string[] = []
  const undone = sessions.block(null, async () => {
    await sessions.afterCommit(() => void done.push('never'))
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  await sessions.block(null, async () => {
    await sessions.afterCommit(() => void done.push('outer'))
    const part = sessions.block(null, async () => {
      await sessions.afterCommit(() => void done.push('part that is undone'))
      throw new Error('undone')
    })
    await part.catch(() => undefined)
    await sessions.block(null, () => sessions.afterCommit(() => void done.push('part')))
    expect(done).toEqual([])
  })
  expect([done, logged]).toEqual([['outer', 'part'], []])
})

it('a committed transaction resolves even if a function passed to afterCommit() and the logger fail', async () => {
  const { sessions, sent } = openSessions(new Error('the disk is full'))
  const saved = sessions.block(null, async () => {
    await sessions.afterCommit(() => Promise.reject(new Error('too late')))
    return 'saved'
  })
  expect(await saved).toBe('saved')
  expect(sent.slice(-2)).toEqual(['1 COMMIT', '1 release'])
})
