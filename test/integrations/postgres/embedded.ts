import { PGlite } from '@electric-sql/pglite'
import type { Plugin } from 'blazon'
import { Database, type PostgresOptions, postgres } from 'blazon/postgres'
import { TestApp, type TestOptions } from 'blazon/testing'
import { vi } from 'vitest'
import type { Leftover, TenantDatabase } from '../../conformance/tenant-database.js'
import { SCHEMA } from '../../conformance/tenant-schema.js'
import { startPgliteFromTemplate } from '../../pglite-template.js'

startPgliteFromTemplate()

/** Settings that drivers and poolers set to the same values for all clients. */
const SHARED_SETTINGS = [
  'application_name',
  'client_encoding',
  'DateStyle',
  'TimeZone',
  'standard_conforming_strings',
]

/** Reads the state that a transaction may have left in a session. */
export const LEFTOVER = `select current_setting('app.tenant_id', true) as tenant,
  current_user::text as role, session_user::text as login,
  (select string_agg(name || ' = ' || setting, ', ') from pg_settings
    where source = 'session' and setting <> '' and name <> all ('{${SHARED_SETTINGS.join()}}')) as settings`

/** Starts an application with a database. */
export function startOn(how: PostgresOptions, options: TestOptions = {}): Promise<TestApp> {
  const plugins = [postgres(how), ...(options.plugins ?? [])]
  return TestApp.create({ logger: false, ...options, plugins })
}

/** Databases in this process. Each application has its own. */
export async function openEmbedded(): Promise<TenantDatabase> {
  const create = vi.spyOn(PGlite, 'create')
  const running: { app: TestApp; engine: PGlite }[] = []
  const current = () => running.at(-1) as (typeof running)[number]
  const start = async (
    options: TestOptions = {},
    { connections, ...how }: PostgresOptions = {},
  ) => {
    const forget: Plugin = {
      name: 'forget',
      onClose: () => void running.splice(running.indexOf(own), 1),
    }
    const plugins = [forget, ...(options.plugins ?? [])]
    const app = await startOn({ embedded: 'memory', ...how }, { ...options, plugins })
    // PGlite makes a second instance for itself while it makes the first.
    const engines = await Promise.all(create.mock.results.map(({ value }) => value as PGlite))
    const engine = engines.findLast(({ closed }) => !closed) as PGlite
    const own = { app, engine }
    running.push(own)
    await engine.exec(SCHEMA)
    return app
  }
  return {
    isEmbedded: true,
    isPooled: false,
    start,
    look: async <T>(text: string, values?: readonly unknown[]) => {
      const db = current().app.get(Database)
      const look = () => db.query<T>(text, values)
      return (await db.withoutTenant('a look from outside', look)).rows
    },
    asOwner: async (text) => void (await current().engine.exec(text)),
    holdCommits: null,
    leftovers: async () => [await leftoverWithin(current().engine)],
    async [Symbol.asyncDispose]() {
      create.mockRestore()
    },
  }
}

async function leftoverWithin(engine: PGlite): Promise<Leftover> {
  const [row] = (await engine.query<Leftover>(LEFTOVER)).rows
  const isInTransaction = await engine.exec('savepoint probe').then(
    () => true,
    () => false,
  )
  return { ...(row as Leftover), isInTransaction }
}
