import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Driver } from './driver.js'

/** THROW AWAY when `migrations` is merged: applies the files of a folder to a database that has none of them. */
export async function applyForNow(driver: Driver, folder: string | undefined): Promise<void> {
  if (folder === undefined) return
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  const connection = await driver.connect()
  try {
    const role = (name: string) =>
      `do $$ begin create role ${name} nologin; exception when duplicate_object or unique_violation then null; end $$;`
    await connection.script('begin; select pg_advisory_xact_lock(4711);')
    await connection.script(`${role('app_tenant')} ${role('app_all_tenants')}
      create schema if not exists blazon; create table if not exists blazon.for_now (name text primary key);`)
    for (const name of names) {
      const { rows } = await connection.query({
        text: 'insert into blazon.for_now values ($1) on conflict do nothing returning name',
        values: [name],
      })
      if (rows.length > 0) await connection.script(await readFile(join(folder, name), 'utf8'))
    }
    await connection.script('commit')
    connection.release()
  } catch (error) {
    connection.destroy()
    throw error
  }
}
