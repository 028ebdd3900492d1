// A database of its own for the workloads of the field, with two logins: one owns nothing and may use the plain tables, the other may use
// those of tenants, and only in the role of a tenant. All of it is dropped when the process ends, however it ends.
import { spawnSync } from 'node:child_process'
import pg from 'pg'
import { TENANT } from '../orders.mjs'
import { WORLDS } from './world.mjs'

const LOCAL = 'postgres://postgres@127.0.0.1:5432/postgres'
/** Variables of the environment that candidates read. */
const PLAIN = 'BENCH_DATABASE_URL'
const TENANT_LOGIN = 'BENCH_TENANT_DATABASE_URL'

const ROLES = ['app_tenant', 'app_all_tenants']

/** Rows of a tenant that nobody asks for; an answer with one of them is wrong. */
export const FOREIGN_NUMBER = -1

/** What `cached_world` holds. */
export const cachedNumber = (id) => ((id * 7) % WORLDS) + 1

/** A page with the first of them as it is written here would run a script. */
export const FORTUNES = [
  '<script>alert("The page runs what a row holds.");</script>',
  'A test that cannot fail tests nothing.',
  'Measure twice & cut once.',
  'フレームワークの比較',
  'Names are the first documentation.',
  'Nothing is as permanent as a temporary table.',
  'One index too few is slow, one too many is slow, too.',
  "Who locks the rows in another order, waits for one's own lock.",
  'Every cache is a copy that may be wrong.',
  'The fastest query is the one that nobody sends.',
  'A time-out is an answer, too.',
  'Ünïcödé sorts after "z".',
]

/** Creates the database, tells candidates where it is, and answers with a client that sees everything. */
export async function createDatabase(url = process.env.DATABASE_URL ?? LOCAL) {
  const name = `blazon_field_${process.pid}`
  await withClient(url, (admin) => admin.query(`create database ${name}`))
  const own = new URL(url)
  own.pathname = `/${name}`
  dropAtExit(url, name)
  const owner = new pg.Client({ connectionString: own.href })
  await owner.connect()
  // The server ends the connection when the database is dropped.
  owner.on('error', () => {})
  await createTables(owner, name)
  for (const [variable, login] of Object.entries({
    [PLAIN]: name,
    [TENANT_LOGIN]: `${name}_tenant`,
  })) {
    own.username = login
    process.env[variable] = own.href
  }
  return owner
}

async function withClient(connectionString, use) {
  const client = new pg.Client({ connectionString })
  await client.connect()
  await use(client)
  await client.end()
}

/** In a process of its own, because a process that exits waits for nothing else. */
function dropAtExit(url, name) {
  const program = `
    import pg from 'pg'
    const client = new pg.Client({ connectionString: process.argv[1] })
    await client.connect()
    await client.query('drop database if exists ${name} with (force)')
    await client.query('drop role if exists ${name}, ${name}_tenant')
    await client.end()`
  process.on('exit', () => {
    const args = ['--input-type=module', '-e', program, url]
    spawnSync(process.execPath, args, { cwd: import.meta.dirname, stdio: 'inherit' })
  })
}

async function createTables(owner, login) {
  for (const role of ROLES) {
    await owner.query(
      `do $$ begin create role ${role} nologin; exception when duplicate_object or unique_violation then null; end $$`,
    )
  }
  await owner.query(
    `create role ${login} login; create role ${login}_tenant login noinherit; grant ${ROLES.join(', ')} to ${login}_tenant`,
  )
  await owner.query(`
    create table world (id integer primary key, randomnumber integer not null);
    create table cached_world (id integer primary key, randomnumber integer not null);
    create table fortune (id integer primary key, message text not null);
    insert into world select id, 1 + floor(random() * ${WORLDS}) from generate_series(1, ${WORLDS}) id;
    insert into cached_world select id, 1 from generate_series(1, ${WORLDS}) id;
    grant select, update on world, cached_world, fortune to ${login}`)
  await owner.query(
    'insert into fortune select ordinality, message from unnest($1::text[]) with ordinality as f (message)',
    [FORTUNES],
  )
  for (const table of ['world', 'cached_world', 'fortune']) await createTenantTable(owner, table)
  await resetCached(owner)
  await owner.query('analyze')
  // Rows are updated in the order of the ids by which they are looked up: requests that wait for each other in a circle would fail.
  await owner.query(`alter database ${login} set enable_hashjoin = off`)
  await owner.query(`alter database ${login} set enable_mergejoin = off`)
  await owner.query(`alter database ${login} set enable_seqscan = off`)
  // How long the disk takes is no matter of a framework.
  await owner.query(`alter database ${login} set synchronous_commit = off`)
}

/** The rows of a table for the tenant that asks, and different ones for another. */
async function createTenantTable(owner, table) {
  const setting = "nullif(current_setting('app.tenant_id', true), '')"
  const name = `tenant_${table}`
  const value = table === 'fortune' ? 'message' : 'randomnumber'
  await owner.query(`
    create table ${name} (tenant_id text not null default ${setting}, like ${table}, primary key (tenant_id, id));
    alter table ${name} enable row level security, force row level security;
    create policy ${name}_tenant on ${name} to app_tenant
      using (tenant_id = (select ${setting})) with check (tenant_id = (select ${setting}));
    grant select, update on ${name} to app_tenant;
    insert into ${name} (tenant_id, id, ${value}) select 'another', id, '${FOREIGN_NUMBER}' from ${table};
    insert into ${name} (tenant_id, id, ${value}) select '${TENANT}', id, ${value} from ${table}`)
}

/** Gives every cached row its number, in the tables of everybody. */
export async function resetCached(owner) {
  for (const [table, condition] of CACHED) {
    await owner.query(
      `update ${table} set randomnumber = ((id * 7) % ${WORLDS}) + 1 where ${condition}`,
    )
  }
}

/** Gives every cached row a number that no cache has seen. */
export async function spoilCached(owner) {
  for (const [table, condition] of CACHED) {
    await owner.query(`update ${table} set randomnumber = ${FOREIGN_NUMBER} where ${condition}`)
  }
}

const CACHED = [
  ['cached_world', 'true'],
  ['tenant_cached_world', `tenant_id = '${TENANT}'`],
]
