// npm run bench:postgres [-- --rounds 9 --seconds 3 --url postgres://…]: what the database plugin costs.
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { startServer } from './candidates.mjs'
import { compile } from './compile.mjs'
import { checkTools, measureInTurn, writeScript } from './measure.mjs'
import { measureSessions } from './postgres/sessions.mjs'
import { markdownTable, median } from './report.mjs'

const PATH = '/orders/7'
const TENANT = 'acme'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    seconds: { type: 'string', default: '3' },
    url: { type: 'string', default: 'postgres://root@127.0.0.1:5432/postgres' },
  },
})
const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)]
const loadBefore = loadavg()[0]

/** Title of each variant, what it is compared with, and the least share of its throughput. */
const VARIANTS = {
  pg: { title: '`pg` under `node:http`, one query' },
  'postgres-js': { title: '`postgres` under `node:http`, one query', peer: 'pg' },
  blazon: { title: 'Blazon, one query', peer: 'pg', goal: 0.95 },
  'pg-tenant': { title: '`pg` under `node:http`, the statements that a tenant needs' },
  'postgres-js-tenant': {
    title: '`postgres` under `node:http`, the statements that a tenant needs',
    peer: 'pg-tenant',
  },
  'blazon-tenant': { title: 'Blazon, a query of a tenant', peer: 'pg-tenant', goal: 0.85 },
}

/** A database of its own, with a table of tenants and a login that may not see more than its roles. */
async function prepare() {
  const name = `blazon_bench_${process.pid}`
  const admin = new pg.Client({ connectionString: values.url })
  await admin.connect()
  await admin.query(`create database ${name}`)
  const url = new URL(values.url)
  url.pathname = `/${name}`
  const owner = new pg.Client({ connectionString: url.href })
  await owner.connect()
  for (const role of ['app_tenant', 'app_all_tenants']) {
    await owner.query(
      `do $$ begin create role ${role} nologin; exception when duplicate_object then null; end $$`,
    )
  }
  const setting = "nullif(current_setting('app.tenant_id', true), '')"
  await owner.query(`
    create table orders (tenant_id text not null default ${setting}, id bigint, what text, amount integer, primary key (tenant_id, id));
    alter table orders enable row level security, force row level security;
    create policy orders_tenant on orders to app_tenant using (tenant_id = (select ${setting})) with check (tenant_id = (select ${setting}));
    grant select on orders to app_tenant;
    insert into orders select 'tenant-' || t, i, 'tea', i from generate_series(1, 20) t, generate_series(1, 1000) i;
    insert into orders select '${TENANT}', i, 'tea', i from generate_series(1, 1000) i;
    create table items as select id, what, amount from orders where tenant_id = '${TENANT}';
    alter table items add primary key (id);
    analyze`)
  await owner.query(
    `create role ${name} login noinherit; grant app_tenant, app_all_tenants to ${name}; grant select on items to ${name}`,
  )
  await owner.end()
  const drop = async () => {
    await admin.query(`drop database ${name} with (force)`)
    await admin.query(`drop role ${name}`)
    await admin.end()
  }
  url.username = name
  return { url: url.href, drop }
}

async function measureServers(url) {
  const file = await compile(join(import.meta.dirname, 'postgres/variants.ts'))
  process.env.BENCH_DATABASE_URL = url
  const request = { method: 'GET', path: PATH, headers: { 'x-tenant-id': TENANT } }
  const script = writeScript(request)
  const servers = []
  for (const name of Object.keys(VARIANTS)) {
    servers.push(await startServer({ name, file, workload: name }))
  }
  await checkResponses(servers, request)
  const writes = {}
  for (const server of servers) writes[server.name] = await countWrites(server, request)
  const measured = await measureInTurn(servers, { path: PATH, script, seconds, rounds })
  return { measured, writes }
}

const BATCHES = 3
const BATCH = 200

/**
 * System calls that write, of all threads of a process (proc(5), `io`), for one request after the other. It is the least of some
 * batches: V8 writes to wake up its own thread while it collects garbage.
 */
async function countWrites({ pid, port }, { headers }) {
  const get = async () => (await fetch(`http://127.0.0.1:${port}${PATH}`, { headers })).text()
  const made = () => Number(/^syscw: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1])
  const counts = []
  for (let batch = 0; batch < BATCHES; batch++) {
    const before = made()
    for (let i = 0; i < BATCH; i++) await get()
    counts.push((made() - before) / BATCH)
  }
  return Math.min(...counts)
}

async function checkResponses(servers, { headers }) {
  const bodies = new Set()
  for (const { port } of servers) {
    const answer = await fetch(`http://127.0.0.1:${port}${PATH}`, { headers })
    bodies.add(`${answer.status} ${await answer.text()}`)
  }
  if (bodies.size !== 1) throw new Error(`The answers differ: ${[...bodies].join(' | ')}`)
}

function serversTable({ measured, writes }) {
  const rows = Object.entries(VARIANTS).map(([name, { title, peer, goal }]) => {
    const of = (key) => median(measured.map((results) => results[name][key]))
    const instructions = measured[0][name].userKilo === undefined ? [] : [of('userKilo').toFixed(0)]
    const cells = [title, Math.round(of('perSecond')), of('microseconds').toFixed(0)]
    cells.push(...instructions, writes[name].toFixed(1))
    if (peer === undefined) return [...cells, '', '', '', '']
    const shareOf = (key) => median(measured.map((each) => each[name][key] / each[peer][key]))
    const share = shareOf('perSecond')
    cells.push(`${shareOf('microseconds').toFixed(2)}×`, `${share.toFixed(2)}×`)
    if (goal === undefined) return [...cells, '', '']
    return [...cells, `≥ ${goal}×`, share >= goal ? 'reached' : 'missed']
  })
  const counted = measured[0].pg.userKilo === undefined ? [] : ['thousand instructions/request']
  const head = ['', 'requests/s', 'µs CPU/request', ...counted, 'writes/request']
  return markdownTable([...head, 'CPU, of `pg`', 'requests/s, of `pg`', 'goal', ''], rows)
}

const SESSIONS = {
  plain: { title: 'a query by `pg` from the pool' },
  alone: { title: 'a query of a tenant, alone', goal: 0.4 },
  transaction: { title: 'a transaction of a tenant with one query', goal: 0.4 },
}

function sessionsTable(measured) {
  const rows = measured.map(({ name, ms, added }) => {
    const { title, goal } = SESSIONS[name]
    if (goal === undefined) return [title, ms.toFixed(3), '', '', '']
    const verdict = added <= goal ? 'reached' : 'missed'
    return [title, ms.toFixed(3), `+${added.toFixed(3)}`, `≤ +${goal}`, verdict]
  })
  return markdownTable(['', 'ms', 'added ms', 'goal', ''], rows)
}

checkTools()
const { url, drop } = await prepare()
try {
  const sessions = sessionsTable(await measureSessions(url, rounds * 3))
  console.log(`\n${sessions}\n`)
  const servers = serversTable(await measureServers(url))
  console.log(`\n${servers}\n`)
  const page = `# What the database plugin costs

Written by \`npm run bench:postgres\`. ${cpus()[0].model}, ${cpus().length} cores, Node ${process.versions.node}; the PostgreSQL server shares them. ${rounds} rounds of
${seconds} s each. Load average of the machine when the run began: ${loadBefore.toFixed(1)}; above 0.5, others shared the cores, and every figure is less certain than it
should be.

## A tenant's session

${sessions}

One query after the other on one connection, in one process. **added** is the median, over the rounds, of differences within a round.

## An endpoint that reads one row

${servers}

\`GET /orders/:id\` with 32 connections and 10 to the database; every variant is a process of its own, all are measured in turn in every round and send
the same body. The share is the median of the ratios within a round.

**writes** are the system calls that write, of the whole process: two to the database and one to the client for a query of a tenant.

## Drivers

Instructions of the main thread for a request, without those of the kernel, counted once by callgrind with Node 24.21. The rows with a
star were counted with \`--single-threaded-gc\`, so they hold all work of the garbage collector, and the others only a part of it:

| | writes/request | thousand instructions/request |
| --- | ---: | ---: |
| \`pg\`, one query | 2 | 160 |
| Blazon, one query, each message in a buffer of its own | 2 | 233 |
| Blazon, one query, one buffer for a flight | 2 | 196* |
| \`pg\`, the statements that a tenant needs | 5 | 327, 287* |
| \`postgres\`, the statements that a tenant needs | 4 | 449 |
| Blazon, a query of a tenant, each message in a buffer of its own | 3 | 630 |
| Blazon, a query of a tenant, one buffer for a flight | 3 | 432* |

\`postgres\` (postgres.js) is no driver of Blazon. It sends a \`Sync\` after each statement. When a \`BEGIN\` that was sent together
with other statements is refused, PostgreSQL runs the others outside of a transaction, so a flight cannot be sent by it (the suite
\`test/conformance/postgres-flights.ts\`). It waits for \`BEGIN\` instead, which is one round trip more, and it prepares each statement
under a name, which a pooler in transaction mode may not know.

Blazon uses \`pg\` for connections, logins, TLS and to read the messages of the server, and writes the messages of a flight itself.
Its statements have no names, also those that set the tenant: a name would make the settings of a transaction depend on the state
in which a session was left.
`
  writeFileSync(join(import.meta.dirname, 'POSTGRES.md'), page)
  console.log('Written to bench/POSTGRES.md.')
} finally {
  await drop()
}
process.exit()
