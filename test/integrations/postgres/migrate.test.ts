import { afterEach, beforeEach, expect, it } from 'vitest'
import { ConfigError } from '../../../src/errors/config-error.js'
import {
  type ApplyOptions,
  applyMigrations,
  readStatus,
} from '../../../src/integrations/postgres/migrations/apply-migrations.js'
import { Folder, KINDS, type OwnDatabase } from './own-database.js'

for (const { kind, open, describeKind } of KINDS)
  describeKind(`migrations on ${kind}`, () => {
    let database: OwnDatabase
    let folder: Folder

    beforeEach(async () => {
      database = await open()
      folder = new Folder()
    })
    afterEach(async () => {
      folder[Symbol.dispose]()
      await database[Symbol.asyncDispose]()
    })

    const migrate = (more: Partial<ApplyOptions> = {}) => {
      const { driver, tenantRole, allTenantsRole } = database
      const roles = { tenantRole, allTenantsRole }
      return applyMigrations(driver, { folder: folder.path, roles, ...more })
    }
    const problemsOf = async (run: Promise<unknown>) => {
      const error = await run.then(
        () => undefined,
        (reason: unknown) => reason,
      )
      if (!(error instanceof ConfigError)) throw error ?? new Error('It was no error.')
      return error.problems
    }
    const names = (list: readonly { name: string }[]) => list.map(({ name }) => name)
    const states = async () =>
      (await readStatus(database.driver, folder.path)).map(({ name, state }) => `${state} ${name}`)
    const count = async (table: string) =>
      Number((await database.run(`select count(*)::int as n from ${table}`))[0]?.['n'])

    it('are run once, in the order of their names', async () => {
      folder.write({
        '0002_fill.sql':
          "insert into notes (text) values ('a');\ninsert into notes (text) values ('b')",
        '0001_create_notes.sql': 'create table notes (text text);',
      })
      expect(await states()).toEqual(['pending 0001_create_notes.sql', 'pending 0002_fill.sql'])
      const told: string[] = []
      const applied = await migrate({ onApplied: ({ name }) => told.push(name) })
      expect(names(applied)).toEqual(['0001_create_notes.sql', '0002_fill.sql'])
      expect(told).toEqual(names(applied))
      expect(applied.every(({ durationMs }) => Number.isInteger(durationMs))).toBe(true)
      expect(await migrate()).toEqual([])
      expect(await count('notes')).toBe(2)
      folder.write({ '0010_more.sql': "insert into notes values ('c')" })
      expect(names(await migrate())).toEqual(['0010_more.sql'])
      const status = await readStatus(database.driver, folder.path)
      expect(status.map(({ state }) => state)).toEqual(['applied', 'applied', 'applied'])
      expect(status[0]?.appliedAt).toBeInstanceOf(Date)
      expect(status[0]?.durationMs).toBe(applied[0]?.durationMs)
    })

    it('that fail in the middle are undone as a whole, and named with their line', async () => {
      folder.write({
        '0001_create.sql': 'create table notes (id int primary key)',
        '0002_fill.sql':
          '-- Two rows.\ninsert into notes values (1);\n\ninsert into notes\nvalues (2), (1);\n',
        '0003_never.sql': 'create table never (id int)',
      })
      const [problem, ...others] = await problemsOf(migrate())
      expect(others).toEqual([])
      expect(problem).toMatchObject({
        code: 'E_MIGRATION_FAILED',
        subject: '0002_fill.sql:4',
        cause: expect.stringMatching(
          /^23505: duplicate key value violates unique constraint "notes_pkey"$/,
        ),
      })
      expect(await count('notes')).toBe(0)
      expect(await count('blazon.migrations')).toBe(1)
      expect(await states()).toEqual([
        'applied 0001_create.sql',
        'pending 0002_fill.sql',
        'pending 0003_never.sql',
      ])
      folder.write({ '0002_fill.sql': 'insert into notes values (1)' })
      expect(names(await migrate())).toEqual(['0002_fill.sql', '0003_never.sql'])
    })

    it('without a transaction', async () => {
      folder.write({
        '0001_create.sql': 'create table notes (id int);\ninsert into notes values (1), (1)',
        '0002_index.sql':
          '-- blazon: no-transaction\ncreate index concurrently notes_id on notes (id);\nselect 1;',
      })
      expect(names(await migrate())).toEqual(['0001_create.sql', '0002_index.sql'])
      folder.write({
        '0003_unique.sql':
          '-- blazon: no-transaction\ninsert into notes values (2);\ncreate unique index concurrently notes_unique on notes (id);',
      })
      expect(await problemsOf(migrate())).toMatchObject([
        {
          code: 'E_MIGRATION_FAILED',
          subject: '0003_unique.sql:3',
          remedy: expect.stringContaining('begins anew'),
        },
      ])
      expect(await count('notes')).toBe(3)
      expect((await states()).at(-1)).toBe('pending 0003_unique.sql')
    })
  })
