import { mkdirSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ConfigError } from '../../../src/errors/config-error.js'
import {
  parseMigration,
  readMigrations,
} from '../../../src/integrations/postgres/migrations/migration-files.js'
import { splitStatements } from '../../../src/integrations/postgres/migrations/split-statements.js'
import { Folder } from './own-database.js'

const split = (sql: string) => [...splitStatements(sql)].map(({ text }) => text)
const parse = (sql: string | Uint8Array) => parseMigration('0001_x.sql', Buffer.from(sql))

async function problemsOf(run: () => unknown) {
  try {
    await run()
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  throw new Error('Nothing was wrong.')
}

describe('an SQL script', () => {
  it.each([
    ['two statements', 'select 1; select 2;', ['select 1', 'select 2']],
    ['a last statement without a semicolon', 'select 1;\nselect 2\n', ['select 1', 'select 2']],
    ['empty statements', ';; select 1 ;;', ['select 1']],
    ['strings', `select 'a;''b;'; select 2`, [`select 'a;''b;'`, 'select 2']],
    ['a backslash in a string', `select 'a\\'; select 2`, [`select 'a\\'`, 'select 2']],
    ['strings with escapes', `select E'a\\';b'; select 2`, [`select E'a\\';b'`, 'select 2']],
    [
      'strings with an escaped line break',
      `select e'a\\';\\\n;b'; select 2`,
      [`select e'a\\';\\\n;b'`, 'select 2'],
    ],
    ['a parenthesis that is not open', 'select 1); select (2; 3)', ['select 1)', 'select (2; 3)']],
    [
      'a name that ends in e before a string',
      `select date'a'; select 2`,
      [`select date'a'`, 'select 2'],
    ],
    ['quoted names', 'select "a;""b"; select 2', ['select "a;""b"', 'select 2']],
    ['comments', 'select 1 -- a; b\n; /* c; /* d; */ e; */ select 2', ['select 1', 'select 2']],
    ['a quote in a comment', "select 1 -- don't\n; select 2", ['select 1', 'select 2']],
    ['dollar quotes', 'do $$ begin; end $$; select 2', ['do $$ begin; end $$', 'select 2']],
    ['dollar quotes with a tag', 'do $a$ $$;$b$ $a$; select 2', ['do $a$ $$;$b$ $a$', 'select 2']],
    [
      'parameters and names with dollars',
      'select $1; select a$b$c; select 3',
      ['select $1', 'select a$b$c', 'select 3'],
    ],
    [
      'parentheses',
      'create rule r as on insert to t do (select 1; select 2); select 3',
      ['create rule r as on insert to t do (select 1; select 2)', 'select 3'],
    ],
    [
      'a function body in SQL',
      'create or replace function f() returns int language sql begin atomic select case when true then 1 end; select 2; end; select 3',
      [
        'create or replace function f() returns int language sql begin atomic select case when true then 1 end; select 2; end',
        'select 3',
      ],
    ],
    ['letters of any language', 'select ä$b$ç; select "é;"', ['select ä$b$ç', 'select "é;"']],
    ['only a comment', ' -- only this\n', []],
  ])('is split into statements: %s', (_, sql, expected) => {
    expect(split(sql)).toEqual(expected)
  })

  it('can be several megabytes long', () => {
    const long = `select '${"x''".repeat(1_000_000)}'; select /* ${'/* */'.repeat(50_000)} */ 2`
    expect(split(long).map((text) => text.length)).toEqual([3_000_009, expect.any(Number)])
  })
})

describe('a migration', () => {
  it('is parsed into statements with their line numbers', () => {
    expect(parse('-- A comment.\n\nselect 1;\nselect\n2; select 3').statements).toEqual([
      { text: 'select 1', line: 3 },
      { text: 'select\n2', line: 4 },
      { text: 'select 3', line: 5 },
    ])
  })

  it('has the same checksum with a byte order mark and with the line endings of other systems', () => {
    const plain = parse("insert into t values ('a\nb');\nselect 2;\n")
    for (const end of ['\r\n', '\r'])
      expect(parse(`\ufeffinsert into t values ('a${end}b');${end}select 2;${end}`)).toEqual(plain)
    expect(parse("insert into t values ('a b');\nselect 2;\n").checksum).not.toBe(plain.checksum)
  })

  it('runs without a transaction if its first line is the directive no-transaction', () => {
    expect(parse('select 1').isTransactional).toBe(true)
    expect(parse('-- blazon: no-transaction\nselect 1').isTransactional).toBe(false)
    expect(parse('\ufeff-- blazon: no-transaction\r\nselect 1').isTransactional).toBe(false)
  })

  it.each([
    ['empty', '', ':1', 'It has no statement.'],
    ['only comments', '\n-- later\n/* or never */', ':1', 'It has no statement.'],
    [
      'a misspelled directive',
      '-- blazon: notransaction\nselect 1',
      ':1',
      'It looks like a directive',
    ],
    [
      'a directive after the first line',
      'select 1;\n-- blazon: no-transaction\nselect 2',
      ':2',
      'It looks like a directive',
    ],
    [
      'a command of psql',
      'select 1;\n\\connect other\nselect 2',
      ':2',
      'A backslash begins a psql command',
    ],
    [
      'the beginning of a dump of pg_dump',
      "--\n-- PostgreSQL database dump\n--\n\n\\restrict abc'def\n",
      ':5',
      'A backslash begins a psql command',
    ],
    [
      'COPY with its rows',
      "create table t (a text);\ncopy t (a) from stdin;\nit's\n\\.\n",
      ':2',
      'COPY would read rows',
    ],
    ['COPY to stdout', 'copy (select 1) to stdout', ':1', 'COPY would read rows'],
    ['BEGIN', 'begin;\nselect 1;\ncommit;', ':1', 'BEGIN would begin or end a transaction'],
    ['COMMIT after a comment', 'select 1; /* now */ commit', ':1', 'COMMIT would'],
    ['START TRANSACTION', 'start transaction', ':1', 'START would'],
    ['PREPARE TRANSACTION', "prepare transaction 'a'", ':1', 'PREPARE would'],
    ['ROLLBACK', 'select 1;\nrollback', ':2', 'ROLLBACK would'],
    ['END', 'end', ':1', 'END would'],
    [
      'a quote that is not closed',
      "select 1;\nselect 'a;\n",
      ':2',
      'begins here, but is not closed',
    ],
    ['a comment that is not closed', 'select 1 /* /* */', ':1', 'begins here, but is not closed'],
    [
      'a dollar quote that is not closed',
      'do $a$ select $$',
      ':1',
      'begins here, but is not closed',
    ],
    ['a NUL character', 'select 1\0', '', 'it contains a NUL character.'],
    ['an encoding other than UTF-8', Buffer.from([0x73, 0xe9]), '', 'It is not UTF-8'],
    ['UTF-16', Buffer.from('\ufeffselect 1', 'utf16le'), '', 'It is not UTF-8'],
  ])('is refused: %s', async (_, sql, place, cause) => {
    const [problem, ...others] = await problemsOf(() => parse(sql))
    expect(others).toEqual([])
    expect(problem).toMatchObject({ code: 'E_MIGRATION_FILE', subject: `0001_x.sql${place}` })
    expect(problem?.cause).toContain(cause)
  })

  it.each([
    'savepoint a; rollback to savepoint a; release savepoint a',
    'rollback work to a',
    "comment on table t is '\\connect'",
    "copy t from program 'cat'",
    'prepare a as select 1',
    'create function f() returns void language plpgsql as $$ begin commit; end $$',
    "select 'from stdin'",
  ])('is accepted: %s', (sql) => {
    expect(parse(sql).statements.length).toBeGreaterThan(0)
  })
})

describe('a folder of migrations', () => {
  it('is read in the order of file names, with gaps in the numbers, and without other files', async () => {
    using folder = new Folder({
      '0010_c.sql': 'select 3',
      '0001_a.sql': 'select 1',
      '0002_b_b2.sql': 'select 2',
      'README.md': '# Migrations',
      '.0003_hidden.sql': 'nonsense (',
      '0003_draft.sql.bak': 'nonsense (',
    })
    mkdirSync(join(folder.path, 'meta'))
    folder.write({ 'meta/.0004_hidden.sql': 'nonsense (' })
    const names = (await readMigrations(folder.path)).map(({ name }) => name)
    expect(names).toEqual(['0001_a.sql', '0002_b_b2.sql', '0010_c.sql'])
  })

  it('can be empty, or have dates as numbers', async () => {
    using folder = new Folder()
    expect(await readMigrations(folder.path)).toEqual([])
    folder.write({ '20260102093000_b.sql': 'select 1', '20260101093000_a.sql': 'select 1' })
    const [first] = await readMigrations(folder.path)
    expect(first?.name).toBe('20260101093000_a.sql')
  })

  it.each([
    '1_a.sql',
    '001_a.sql',
    'create.sql',
    '0001-create.sql',
    '0001_Create.sql',
    '0001_a.SQL',
    '0001_.sql',
    '0001_a b.sql',
    '0001.sql',
    '000000000000001_a.sql',
  ])('is refused if it contains a file named %s', async (name) => {
    using folder = new Folder({ [name]: 'select 1' })
    expect(await problemsOf(() => readMigrations(folder.path))).toMatchObject([
      {
        code: 'E_MIGRATION_FILE',
        subject: name,
        remedy: expect.stringContaining('0001_create_orders.sql'),
      },
    ])
  })

  it('is refused if it has duplicate numbers, numbers of different lengths, or subfolders', async () => {
    using folder = new Folder({
      '0001_a.sql': 'select 1',
      '0001_b.sql': 'select 1',
      '00002_c.sql': 'select 1',
      '20260101_d.sql': 'select 1',
    })
    mkdirSync(join(folder.path, 'more'))
    folder.write({ 'more/0003_e.sql': 'select 1' })
    const problems = await problemsOf(() => readMigrations(folder.path))
    expect(problems.map(({ subject, cause }) => `${subject}: ${cause}`)).toEqual([
      'more/0003_e.sql: It is in a subfolder.',
      '0001_a.sql: Its number has more or fewer digits than the number of 00002_c.sql, so the order of the names is not the order of the numbers.',
      '0001_b.sql: It has the same number as 0001_a.sql.',
      '20260101_d.sql: Its number has more or fewer digits than the number of 0001_b.sql, so the order of the names is not the order of the numbers.',
    ])
  })

  it('is watched by blazon dev', async () => {
    const watched: string[] = []
    const key = Symbol.for('blazon.watch')
    Object.assign(globalThis, { [key]: (folder: string) => watched.push(folder) })
    onTestFinished(() => void Reflect.deleteProperty(globalThis, key))
    using folder = new Folder()
    await readMigrations(relative(process.cwd(), folder.path))
    expect(watched).toEqual([folder.path])
  })

  it('is refused if it does not exist', async () => {
    const problems = await problemsOf(() => readMigrations('/nowhere/at/all'))
    expect(problems).toMatchObject([
      { code: 'E_OPTION_INVALID', subject: 'migrations', cause: expect.stringContaining('ENOENT') },
    ])
  })

  it('is named with its absolute path in the error', async () => {
    const [problem] = await problemsOf(() => readMigrations('no/migrations'))
    expect(problem?.cause).toBe(`The folder ${resolve('no/migrations')} cannot be read (ENOENT).`)
  })

  it('causes one error with the problems of all files', async () => {
    using folder = new Folder({
      '0001_a.sql': '',
      '0002_b.sql': 'commit',
      '0003_c.sql': 'select 1',
    })
    mkdirSync(join(folder.path, '0004_d.sql'))
    const problems = await problemsOf(() => readMigrations(folder.path))
    expect(problems.map(({ subject }) => subject)).toEqual([
      '0001_a.sql:1',
      '0002_b.sql:1',
      '0004_d.sql',
    ])
  })
})
