import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from 'blazon'
import { describe, expect, it, vi } from 'vitest'
import {
  LOCK_FILE,
  lockFolder,
  noteSocket,
  openFolder,
} from '../../../src/integrations/postgres/drivers/open-folder.js'
import { Folder } from './own-database.js'

/** The cause of the ConfigError with which a call rejects. */
async function causeOf(run: Promise<unknown>): Promise<string | undefined> {
  const error = await run.then(
    () => new Error('It did not reject.'),
    (reason: unknown) => reason,
  )
  if (!(error instanceof ConfigError)) throw error
  return error.problems[0]?.cause
}

const IN_USE = 'It is already open, in this process or in another one.'
const holder = (folder: Folder) => JSON.parse(readFileSync(join(folder.path, LOCK_FILE), 'utf8'))

describe('the folder of an embedded database', () => {
  it('is locked until it is unlocked, and contains no other files of the lock', async () => {
    using folder = new Folder()
    const unlock = await lockFolder(folder.path)
    expect(readdirSync(folder.path)).toEqual([LOCK_FILE])
    expect(holder(folder)).toEqual({ pid: process.pid, startedAt: expect.any(Number) })
    expect(await causeOf(lockFolder(folder.path))).toBe(IN_USE)
    expect(readdirSync(folder.path)).toEqual([LOCK_FILE])
    await unlock()
    expect(readdirSync(folder.path)).toEqual([])
    await (await lockFolder(folder.path))()
  })

  it.each<[string, object | string, boolean]>([
    ['a process that does not run', { pid: 2 ** 30, startedAt: 1 }, false],
    ['another process that runs', { pid: process.ppid, startedAt: 1 }, true],
    ['a process with the same id before a restart', { pid: process.pid, startedAt: 1 }, false],
    ['no process', '{"pid":', false],
    ['a process without its start', { pid: process.ppid }, false],
  ])('can be locked, or not, after it was locked by %s', async (_, content, isInUse) => {
    const text = typeof content === 'string' ? content : JSON.stringify(content)
    using folder = new Folder({ [LOCK_FILE]: text })
    if (isInUse) expect(await causeOf(lockFolder(folder.path))).toBe(IN_USE)
    else {
      const unlock = await lockFolder(folder.path)
      expect(holder(folder).pid).toBe(process.pid)
      await unlock()
    }
  })

  it('is in use if its process belongs to another user', async () => {
    const text = JSON.stringify({ pid: 2 ** 30, startedAt: 1 })
    using folder = new Folder({ [LOCK_FILE]: text })
    const kill = vi.spyOn(process, 'kill').mockImplementation(() => {
      throw Object.assign(new Error('refused'), { code: 'EPERM' })
    })
    const cause = await causeOf(lockFolder(folder.path)).finally(() => kill.mockRestore())
    expect(cause).toBe(IN_USE)
  })

  it('names the socket through which other processes use it', async () => {
    using folder = new Folder()
    const unlock = await lockFolder(folder.path)
    await noteSocket(folder.path, '/run/database')
    expect(holder(folder)).toEqual({
      pid: process.pid,
      startedAt: expect.any(Number),
      socket: '/run/database',
    })
    expect(readdirSync(folder.path)).toEqual([LOCK_FILE])
    expect(await causeOf(lockFolder(folder.path))).toBe(IN_USE)
    await unlock()
  })

  it('is refused and unlocked if it contains other files, is a file, or has a damaged database', async () => {
    using folder = new Folder({ '.hidden': '', 'letter.txt': '' })
    expect(await causeOf(openFolder(folder.path))).toBe(
      'It contains files that do not belong to a database.',
    )
    expect(readdirSync(folder.path).sort()).toEqual(['.hidden', 'letter.txt'])
    for (const path of ['letter.txt', 'letter.txt/below'])
      expect(await causeOf(openFolder(join(folder.path, path)))).toBe(
        'It cannot be created, or it is not a folder.',
      )
    const damaged = join(folder.path, 'damaged')
    mkdirSync(damaged)
    writeFileSync(join(damaged, 'PG_VERSION'), 'x')
    expect(await causeOf(openFolder(damaged))).toMatch(/^The database in it cannot be used/)
    expect(readdirSync(damaged)).not.toContain(LOCK_FILE)
  })
})
