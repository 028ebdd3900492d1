import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { describe } from 'vitest'

/** The PostgreSQL that happens to run: nothing but this file's own database may be touched on it. */
const url = process.env['DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres'

const isThere = await answers()
if (!isThere) console.warn('Skipped: no PostgreSQL answers. DATABASE_URL says where it is.')

/** `describe` of what needs a PostgreSQL: skipped on a machine where none runs, but not by CI. */
export const describeWithPostgres = describe.skipIf(!isThere && !process.env['CI'])

/** Runs statements beside any application. */
export async function runBeside(text: string, values: readonly unknown[] = []): Promise<unknown[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text, [...values])).rows
  } finally {
    await client.end()
  }
}

/** An empty database, and how it is dropped. */
export async function ownDatabase(): Promise<{ url: string; drop(): Promise<unknown> }> {
  const name = `blazon_test_${randomUUID().replaceAll('-', '')}`
  await runBeside(`create database ${name}`)
  const own = new URL(url)
  own.pathname = name
  return { url: own.href, drop: () => runBeside(`drop database ${name} with (force)`) }
}

async function answers(): Promise<boolean> {
  try {
    await runBeside('select 1')
    return true
  } catch {
    return false
  }
}
