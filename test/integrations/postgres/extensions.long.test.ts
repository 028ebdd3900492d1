import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Database, isExclusionViolation, PostgresError, postgres } from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { startPgliteFromTemplate } from '../../pglite-template.js'
import { root } from '../../root.js'
import { Folder } from './own-database.js'

startPgliteFromTemplate()

const BOOKINGS = `
  CREATE EXTENSION IF NOT EXISTS "btree_gist";
  create table bookings (
    room integer not null,
    during tstzrange not null,
    exclude using gist (room with =, during with &&)
  );`

const OVERLAP = { code: '23P01', constraint: 'bookings_room_during_excl' }

/** Starts an application, books a room, and tries to book it again. Returns the refusal. */
async function bookTwice(embedded: string, migrations: string): Promise<unknown> {
  await using app = await TestApp.create({ plugins: [postgres({ embedded, migrations })] })
  const db = app.get(Database)
  const book = () =>
    db.sql`insert into bookings values (7, '[2030-01-01 10:00+00, 2030-01-01 11:00+00)')`
  await db.sql`delete from bookings`
  await book()
  return await book().catch((error: unknown) => error)
}

describe('an extension in the embedded database', () => {
  it('is available to a migration that creates it, in each application and after each start', async () => {
    using migrations = new Folder({ '0001_create_bookings.sql': BOOKINGS })
    using data = new Folder()
    const places = ['memory', 'memory', data.path, data.path]
    for (const place of places) {
      const refusal = await bookTwice(place, migrations.path)
      expect(refusal).toMatchObject(OVERLAP)
      expect(isExclusionViolation(refusal, OVERLAP.constraint)).toBe(true)
      expect(isExclusionViolation(refusal, 'another')).toBe(false)
    }
  })

  it('is available if the documentation names it', async () => {
    const page = readFileSync(join(root, 'docs/postgres.md'), 'utf8')
    const list = page.split('\n\n').find((text) => text.startsWith('`amcheck`,')) ?? ''
    const names = [...list.matchAll(/`([\w-]+)`/g)].map(([, name]) => String(name))
    expect(names).toContain('btree_gist')
    await using app = await TestApp.create({ plugins: [postgres({ embedded: 'memory' })] })
    const db = app.get(Database)
    for (const name of names) await db.query(`create extension if not exists "${name}" cascade`)
    const rows = await db.sql<{ name: string }>`
      select extname::text as name from pg_extension where extname <> 'plpgsql'`
    expect(rows.map(({ name }) => name).sort()).toEqual([...names].sort())
    // Those that the error names are the same.
    const refusal = await db.query('create extension vector').catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(PostgresError)
    expect((refusal as PostgresError).hint).toContain(`contains: ${[...names].sort().join(', ')}.`)
  })
})
