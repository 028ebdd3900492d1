import { describe, expect, it } from 'vitest'
import { classifyStatement } from '../../../src/integrations/postgres/statement-text.js'

describe('a statement that leaves no trace in its session', () => {
  it.each([
    'select note from orders where id = any($1) and note in ($2, $3) for update',
    'select count(*), coalesce(sum(amount), 0)::numeric(10, 2) from orders group by (note)',
    '(select 1) union (select 2)',
    'select row_number() over (partition by note) from orders o join lateral (select 1) as q on (true)',
    'with gone as (delete from orders where id = $1 returning *) select * from gone',
    'select pg_catalog.lower(note), pg_catalog.count(*) from orders',
    'merge into orders o using new on (o.id = new.id) when not matched then insert values (new.id)',
    'insert into orders (note) values ($1) on conflict (note) do update set note = excluded.note returning id',
    'insert into "orders" ("note", "code") values ($1, default) returning "id"',
    'insert into public.orders (note) select lower(note) from orders',
    'update orders set (note, code) = ($1, $2) where id = $3',
    "set local search_path = 'public'",
    'savepoint a',
    'rollback to savepoint a',
    'declare c cursor for select 1',
    'insert into orders (at, day) values (current_timestamp(3), localtimestamp(0))',
    '',
  ])('needs no cleanup: %s', (text) => {
    expect(classifyStatement(text).leaves).toBe('nothing')
  })
})

describe('a statement that may leave a trace in its session', () => {
  it.each([
    "select set_config/**/('a', 'b', false)",
    'select own.pg_catalog.lower(note) from orders',
    'select "öwn"(note), ö\u0061wn(note) from orders',
    'select own()',
    'insert into orders (id) values (uuidv7())',
    'select own.lower(note) from orders',
    'select "lower"(note) from orders',
    "select set_config('a', 'b', false)",
    "select set_config('a', 'b', false) where (1, true) = (1, true)",
    "select set_config('a', 'b', 1 = 1 or true)",
    "select pg_catalog.set_config('a', 'b', false)",
    "select pg_catalog.\"set_config\"('a', 'b', false)",
    'select own . lower (note) from orders',
    "select U&\"set_config\" ('a', 'b', false)",
    '/* select 1 */ set a.b = c',
    'select note into other from orders',
    'table pg_temp.orders',
    'create table a (b int)',
    'do $$ begin end $$',
    'call own()',
    'execute own',
    'prepare own as select 1',
    'explain analyze select own()',
    'declare c cursor with hold for select 1',
    'listen own',
    'discard plans',
    'reset all',
    'alter role app_tenant set search_path = x',
    'set session authorization default',
    'select /* open',
    `select ${'1,'.repeat(20_000)}1`,
  ])('needs cleanup: %s', (text) => {
    expect(classifyStatement(text).leaves).toBe('something')
  })

  it.each([
    "select set_config('app.user', $1, true)",
    "select 'f(' as text",
    'select 1 -- the reason',
    'with gone (id) as (select 1) select * from gone',
    'select pg_advisory_xact_lock($1)',
  ])('needs cleanup if the case is unclear, even if it leaves no trace: %s', (text) => {
    expect(classifyStatement(text).leaves).toBe('something')
  })

  it('needs a new connection if it loads a library', () => {
    expect(classifyStatement("/* c */ load '$libdir/plugins/own'").leaves).toBe('library')
  })
})

describe('a statement that may read or write', () => {
  it.each([
    ['select * from orders for no key update', true],
    ['/* c */ select 1', false],
    ['select id from orders for update', true],
    ['with a as (select 1) table a', true],
    ['show search_path', true],
    ['values (1)', true],
    ['select own()', false],
    ["select nextval('a')", false],
    ["select pg_notify('a', 'b')", false],
    ['select 1 into a', false],
    ['explain analyze delete from orders', false],
    ['with a as (delete from orders returning 1) select 1', false],
    ['insert into orders default values', false],
  ])('is correctly classified as read-only or not: %s', (text, reads) => {
    expect(classifyStatement(text).reads).toBe(reads)
  })
})

it('the start and end of a transaction are recognized among comments and long text', () => {
  for (const before of ['', ';', ' ; ;', '-- c\n', '-- c\r', '/* a /* b */ c */', '(']) {
    for (const after of ['', ';', ' work', ` -- ${'x'.repeat(50_000)}`]) {
      expect(classifyStatement(`${before}CoMMit${after}`).control).toBe('commit')
      expect(classifyStatement(`${before}rollback${after}`).control).toBe('rollback')
    }
  }
  expect(classifyStatement('start/**/transaction').control).toBe('start transaction')
  expect(classifyStatement("prepare transaction 'a'").control).toBe('prepare transaction')
  for (const text of ['rollback to a', 'rollback work to savepoint a', 'commits', '"commit"']) {
    expect(classifyStatement(text).control).toBeNull()
  }
})

it('a statement has the same classification again after 3,000 other statements', () => {
  const texts = Array.from({ length: 3000 }, (_, index) => `select ${'1, '.repeat(300)}${index}`)
  for (const text of [...texts, ...texts]) expect(classifyStatement(text).leaves).toBe('nothing')
})
