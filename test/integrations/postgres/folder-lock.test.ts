import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { App } from 'blazon'
import { Database, postgres } from 'blazon/postgres'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

describe('the folder of an embedded database', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'blazon-folder-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const start = () =>
    App.create({ plugins: [postgres({ embedded: folder })], logger: false, swagger: false })
  const lock = (pid: number | string) => writeFileSync(join(folder, 'blazon.pid'), String(pid))

  it('is one application’s at a time', async () => {
    const one = await start()
    const message = `The folder ${folder} is in use by another application of this process`
    await expect(start()).rejects.toThrow(message)
    await one.get(Database).query('create table notes (text text)')
    await one.close()
    expect(readdirSync(folder)).not.toContain('blazon.pid')
    const other = await start()
    expect(await other.get(Database).sql`select * from notes`).toEqual([])
    await other.close()
  })

  it('is one process’s at a time', async () => {
    lock(process.ppid)
    await expect(start()).rejects.toThrow(`in use by process ${process.ppid}`)
    expect(readdirSync(folder)).toEqual(['blazon.pid'])
  })

  it.each([
    ['that is gone', () => spawnSync(process.execPath, ['--version']).pid],
    ['that had the id of this one', () => process.pid],
    ['that was ended before it wrote its id', () => ''],
  ])('is taken over from a process %s', async (_, pid) => {
    lock(pid())
    await (await start()).close()
  })
})
