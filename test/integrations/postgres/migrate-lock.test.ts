import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { applyMigrations } from '../../../src/integrations/postgres/migrations/apply-migrations.js'
import { shareHistory } from '../../../src/integrations/postgres/migrations/history.js'
import { turns } from '../../journeys/turns.js'
import { acceptingDriver } from './accepting-driver.js'
import { Folder } from './own-database.js'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

/** Migrates a database in which another process has the lock at the given attempts. */
function migrate(sql: string, { taken = [] as number[], size = 2 } = {}) {
  const folder = new Folder({ '0001_a.sql': sql })
  let attempts = 0
  const { driver, log } = acceptingDriver({
    size,
    rowsOf(text) {
      if (text.includes('advisory')) return [{ mine: !taken.includes(++attempts) }]
      if (text.startsWith('select name')) return []
      return [{ found: true, now: '0', duration_ms: 1 }]
    },
  })
  const onWait = vi.fn()
  const stop = new Error('The first migration was applied.')
  const onApplied = () => {
    throw stop
  }
  const options = { folder: folder.path, roles: null, onWait, onApplied }
  const done = applyMigrations(driver, options)
    .finally(() => folder[Symbol.dispose]())
    .catch((error: Error) => error.message)
  return { done, log, onWait }
}

/** Waits for a state that depends on files, but on no timer. */
async function until(isReached: () => boolean) {
  while (!isReached()) await turns(1)
}

describe('the lock for migrations', () => {
  it('is tried again every 100 ms, and only the first wait is reported', async () => {
    const { done, log, onWait } = migrate('select 7', { taken: [1, 2, 4] })
    const lockings = () => log.filter((line) => line.includes('advisory')).length
    await until(() => lockings() === 1)
    for (const count of [2, 4, 5]) {
      await until(() => vi.getTimerCount() === 1)
      vi.advanceTimersByTime(99)
      await turns(5)
      expect([count, vi.getTimerCount()]).toEqual([count, 1])
      vi.advanceTimersByTime(1)
      await until(() => lockings() === count)
    }
    expect(await done).toBe('The first migration was applied.')
    expect(onWait).toHaveBeenCalledTimes(1)
  })

  it('is held until the commit, and then the connection is returned', async () => {
    const { done, log } = migrate('select 7')
    await done
    const ends = log.filter((line) => /^2 (?:select 7|commit|release|destroy)$/.test(line))
    expect(ends).toEqual(['2 select 7', '2 commit', '2 release'])
  })

  it('needs a second connection, which is closed, for a migration without a transaction', async () => {
    const sql = '-- blazon: no-transaction\nselect 7'
    expect(await migrate(sql, { size: 1 }).done).toContain('Set connections to 2 or more.')
    const { done, log } = migrate(sql)
    await done
    const all = log.filter((line) => /^[23] (?:select [17]|commit|release|destroy)$/.test(line))
    expect(all).toEqual(['2 select 1', '3 select 7', '3 destroy', '2 commit', '2 release'])
  })
})

it('the history is shared with a login that cannot read it yet', async () => {
  for (const may of [true, false]) {
    const { driver, log } = acceptingDriver({ rowsOf: () => [{ may }] })
    await shareHistory(await driver.connect(), 'shop')
    const grants = log.filter((line) => line.includes('grant'))
    expect(grants.length).toBe(may ? 0 : 1)
  }
})
