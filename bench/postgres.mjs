// npm run bench:postgres -- [options]: what the database plugin costs.
//
//   --nodes 20,24,26   Nodes to measure on, fetched by npm; --node /path/to/node, any number of times, for one that is there.
//                      This very Node when neither is given. A tenant's session is measured in this very Node.
//   --rounds 9         rounds; --seconds 3 of load of each variant in a round
//   --url postgres://… the server; a login that may create databases and roles
//   --count            instructions instead of times, by valgrind: on machines that are busy
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { checkCallgrind, countInstructions } from './callgrind.mjs'
import { startServer } from './candidates.mjs'
import { compile } from './compile.mjs'
import { readEnvironment, readNode } from './environment.mjs'
import { checkTools, measureInTurn, writeScript } from './measure.mjs'
import { fetchNodes } from './nodes.mjs'
import { measureSessions } from './postgres/sessions.mjs'
import { readResults, saveResults } from './report.mjs'
import { keepServers, serversTable, sessionsTable, VARIANTS } from './sections/postgres.mjs'
import { commandOf } from './summary.mjs'

const PATH = '/orders/7'
const TENANT = 'acme'
const request = { method: 'GET', path: PATH, headers: { 'x-tenant-id': TENANT } }

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    seconds: { type: 'string', default: '3' },
    url: { type: 'string', default: 'postgres://root@127.0.0.1:5432/postgres' },
    node: { type: 'string', multiple: true, default: [] },
    nodes: { type: 'string', default: '' },
    count: { type: 'boolean', default: false },
  },
})
const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)]

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

const compileVariants = () => compile(join(import.meta.dirname, 'postgres/variants.ts'))

async function measureServers(node) {
  const file = await compileVariants()
  const script = writeScript(request)
  const servers = []
  for (const name of Object.keys(VARIANTS)) {
    servers.push(await startServer({ name, node, file, workload: name }))
  }
  await checkResponses(servers, request)
  const writes = {}
  for (const server of servers) writes[server.name] = await countWrites(server, request)
  const measured = await measureInTurn(servers, { path: PATH, script, seconds, rounds })
  return keepServers(measured, writes)
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

function save(change) {
  return saveResults('postgres', change({ nodes: {}, ...readResults('postgres') }))
}

const saveNode = (major, change) =>
  save(({ nodes, ...others }) => ({
    ...others,
    nodes: { ...nodes, [major]: { ...nodes[major], ...change(nodes[major] ?? {}) } },
  }))

async function measureOn(path) {
  const { major, ...version } = readNode(path)
  const environment = readEnvironment()
  const command = commandOf('bench:postgres', { nodes: major, rounds, seconds })
  const lanes = await measureServers(path)
  console.log(`\nNode ${version.node}\n\n${serversTable({ lanes })}\n`)
  await saveNode(major, () => ({ ...version, command, environment, rounds, seconds, lanes }))
}

async function measureTenantSessions(url) {
  const environment = readEnvironment()
  const measured = await measureSessions(url, rounds * 3)
  const ways = Object.fromEntries(measured.map(({ name, ...times }) => [name, times]))
  const command = commandOf('bench:postgres', {
    nodes: process.version.slice(1, 3),
    rounds,
    seconds,
  })
  console.log(`\n${sessionsTable(ways)}\n`)
  const { node } = process.versions
  const sessions = { node, command, environment, rounds: rounds * 3, ways }
  await save((before) => ({ ...before, sessions }))
}

async function countOn(node) {
  const { major, ...version } = readNode(node)
  const file = await compileVariants()
  for (const name of Object.keys(VARIANTS)) {
    const kilo = (await countInstructions({ node, file, args: [name] }, request)) / 1000
    console.log(`Node ${version.node}, ${name}: ${kilo.toFixed(1)} k instructions`)
    await saveNode(major, ({ counted }) => ({
      ...version,
      counted: { ...counted, [name]: Number(kilo.toFixed(1)) },
    }))
  }
}

;(values.count ? checkCallgrind : checkTools)()
const nodes = [...values.node, ...fetchNodes(values.nodes.split(',').filter(Boolean))]
const { url, drop } = await prepare()
process.env.BENCH_DATABASE_URL = url
try {
  if (!values.count) await measureTenantSessions(url)
  const task = values.count ? countOn : measureOn
  for (const path of nodes.length === 0 ? [process.execPath] : nodes) await task(path)
} finally {
  await drop()
}
process.exit()
