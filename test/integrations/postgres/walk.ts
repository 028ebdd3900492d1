import { setImmediate } from 'node:timers/promises'
import type { TestApp } from 'blazon/testing'
import { expect } from 'vitest'
import { Random, seedOfRun } from '../../conformance/random.js'

/** The orders of lists of {@link ROWS}. Many rows have the same `at`. */
export const ORDERS = [['at', 'id'], ['-at', '-id'], ['-at', 'id'], ['at', '-id'], ['-id']] as const

export const TABLE = `
  create table rows (id integer generated always as identity primary key, at timestamptz not null, place integer);
  grant select, insert, update, delete on rows to public;`

/** Inserts rows whose times differ in microseconds only. */
export function insertSql(count: number, random: Random): string {
  const rows = Array.from(
    { length: count },
    () => `('2026-01-01 00:00:00.00000${random.below(6)}+00')`,
  )
  return `insert into rows (at) values ${rows.join()}`
}

/**
 * Reads a list to its end while another connection inserts and deletes rows, and expects that each row is found at most
 * once, and each that nobody deleted is found.
 */
export async function walkAmongWriters(
  app: TestApp,
  path: string,
  run: (sql: string) => Promise<readonly Record<string, unknown>[]>,
): Promise<void> {
  const seed = seedOfRun()
  const random = new Random(seed)
  await run('delete from rows')
  await run(insertSql(60, random))
  const before = (await run('select id from rows')).map(({ id }) => Number(id))
  const mayGo = before.filter(() => random.below(2) === 0)
  const stay = before.filter((id) => !mayGo.includes(id))
  let isRead = false
  const write = async () => {
    while (!isRead) {
      // An embedded database has one connection, and its work never waits for the event loop.
      await setImmediate()
      await run(insertSql(1, random))
      const gone = mayGo.pop()
      if (gone !== undefined) await run(`delete from rows where id = ${gone}`)
    }
  }
  const written = write()
  const found: number[] = []
  try {
    let query = ''
    // A list that repeats rows, or grows as fast as it is read, may have no end.
    for (let count = 0; count < 100; count++) {
      const limit = 1 + random.below(9)
      const { body } = await app.request().get(`${path}?limit=${limit}${query}`).expect(200)
      found.push(...body.items.map(({ id }: { id: number }) => id))
      if (body.next === null) break
      query = `&cursor=${encodeURIComponent(body.next)}`
      // No writers in the second half, so that every walk ends.
      if (count === 50) isRead = true
    }
  } finally {
    isRead = true
    await written
  }
  expect(new Set(found).size, `SEED=${seed}: a row twice`).toBe(found.length)
  expect(
    stay.filter((id) => !found.includes(id)),
    `SEED=${seed}: lost rows`,
  ).toEqual([])
}
