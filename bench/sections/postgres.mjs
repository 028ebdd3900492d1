// What the database plugin costs: bench/postgres.mjs.
import { describeEnvironment } from '../environment.mjs'
import { summarizeLanes } from '../summary.mjs'
import { markdownTable } from '../tables.mjs'

/** Title of each variant, what it is compared with, and the least share of its throughput. */
export const VARIANTS = {
  pg: { title: '`pg` under `node:http`, one query' },
  'postgres-js': { title: '`postgres` under `node:http`, one query', peer: 'pg' },
  blazon: {
    title: 'Blazon, one query',
    peer: 'pg',
    goal: { what: 'an endpoint that reads a row of PostgreSQL, without tenants', least: 0.95 },
  },
  'pg-tenant': { title: '`pg` under `node:http`, the statements that a tenant needs' },
  'postgres-js-tenant': {
    title: '`postgres` under `node:http`, the statements that a tenant needs',
    peer: 'pg-tenant',
  },
  'blazon-tenant': {
    title: 'Blazon, a query of a tenant',
    peer: 'pg-tenant',
    goal: { what: 'an endpoint that reads a row of a tenant', least: 0.85 },
  },
}

const PAIRS = Object.entries(VARIANTS).flatMap(([name, { peer }]) => (peer ? [[name, peer]] : []))

/** What is kept of the rounds, in which each variant has `perSecond` and `microseconds`, and of `writes` by variant. */
export function keepServers(measured, writes) {
  const columns = Object.keys(VARIANTS).map((name) => [
    name,
    {
      perSecond: measured.map((round) => round[name].perSecond),
      microseconds: measured.map((round) => round[name].microseconds),
      writes: writes[name],
    },
  ])
  const fields = { spread: ['perSecond', 'microseconds'], middle: [], pairs: PAIRS }
  return summarizeLanes(Object.fromEntries(columns), fields)
}

function spreadOf(ratio) {
  if (ratio === undefined) return ''
  const [middle, least, greatest] = [ratio.median, ratio.least, ratio.greatest].map((value) =>
    value.toFixed(2),
  )
  return `${middle}× (${least} to ${greatest})`
}

/** A row for each variant on one Node. */
export function serversTable({ lanes = {}, counted = {} }) {
  const rows = Object.entries(VARIANTS).map(([name, { title, peer }]) => {
    const { perSecond, microseconds, writes, of } = lanes[name] ?? {}
    const kilo = counted[name]
    return [
      title,
      perSecond === undefined ? '' : Math.round(perSecond.median),
      spreadOf(of?.[peer]?.perSecond),
      microseconds?.median.toFixed(0) ?? '',
      spreadOf(of?.[peer]?.microseconds),
      kilo?.toFixed(0) ?? '',
      kilo && counted[peer] ? `${(kilo / counted[peer]).toFixed(2)}×` : '',
      writes?.toFixed(1) ?? '',
    ]
  })
  const head = ['', 'requests/s', 'of `pg`', 'µs of CPU', 'of `pg`', 'k instructions', 'of `pg`']
  return markdownTable([...head, 'writes'], rows)
}

/** The most milliseconds that a session may add. */
const SESSIONS = {
  plain: { title: 'a query by `pg` from the pool' },
  alone: { title: 'a query of a tenant, alone', most: 0.4 },
  transaction: { title: 'a transaction of a tenant with one query', most: 0.4 },
}

/** A row for each way to ask, by name, each with `ms` and `added`. */
export function sessionsTable(ways) {
  const rows = Object.entries(ways).map(([name, { ms, added }]) => {
    const { title, most } = SESSIONS[name]
    return [title, ms.toFixed(3), most === undefined ? '' : `+${added.toFixed(3)}`]
  })
  return markdownTable(['', 'ms', 'added ms'], rows)
}

function measuredOf(nodes, of) {
  const entries = Object.entries(nodes).map(([major, node]) => [major, of(node)])
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

function goalsOf({ nodes, sessions }) {
  const servers = Object.entries(VARIANTS).flatMap(([name, { peer, goal }]) => {
    if (goal === undefined) return []
    const share = ({ lanes }, field) => lanes?.[name]?.of[peer][field].median
    return {
      id: `postgres/${name}`,
      what: `${goal.what}, of the throughput of the same statements by \`pg\``,
      least: { default: goal.least },
      unit: '×',
      measured: measuredOf(nodes, (node) => share(node, 'perSecond')),
      note: measuredOf(nodes, (node) => {
        const cpu = share(node, 'microseconds')
        return cpu === undefined ? undefined : `${cpu.toFixed(2)}× CPU`
      }),
    }
  })
  const added = Object.entries(sessions?.ways ?? {}).filter(
    ([name]) => SESSIONS[name].most !== undefined,
  )
  return [
    ...servers,
    ...added.map(([name, { added }]) => ({
      id: `postgres/${name}`,
      what: `${SESSIONS[name].title}, added to a query by \`pg\``,
      most: { default: SESSIONS[name].most },
      unit: 'ms',
      measured: { [Number.parseInt(sessions.node, 10)]: added },
    })),
  ]
}

export function section(results) {
  const { nodes, sessions } = results
  const tables = Object.values(nodes).map(
    ({ node, environment, rounds, seconds, ...measured }) =>
      `### Node ${node}: an endpoint that reads one row

${serversTable(measured)}

${rounds === undefined ? 'Only counted.' : `${rounds} rounds of ${seconds} s. ${describeEnvironment(environment)}`}`,
  )
  const session =
    sessions === undefined
      ? ''
      : `

### A tenant's session

${sessionsTable(sessions.ways)}

One query after the other on one connection, in one process, with Node ${sessions.node}. **added** is the median, over ${sessions.rounds} rounds, of differences within
a round. ${describeEnvironment(sessions.environment)}`
  return {
    title: 'PostgreSQL',
    goals: goalsOf(results),
    body: `Written by \`npm run bench:postgres\`, and counted by the same command with \`--count\`. \`GET /orders/:id\` with 32 connections and 10 to the database; every
variant is a process of its own, all are measured in turn in every round and send the same body. The PostgreSQL server and the load generator share
the processors. **of \`pg\`** compares the same statements within a round. **writes** are the system calls that write, of the whole process: of a query
of a tenant, two to the database and one to the client. Instructions are counted as those [of requests](#how-to-read-it).

${tables.join('\n\n')}${session}

### Drivers

\`postgres\` (postgres.js) is not a driver of Blazon. It sends a \`Sync\` after each statement. When a \`BEGIN\` that was sent together
with other statements is refused, PostgreSQL runs the others outside of a transaction, so a flight cannot be sent by it (the suite
\`test/conformance/postgres-flights.ts\`). It waits for \`BEGIN\` instead, which is one round trip more, and it prepares each statement
under a name, which a pooler in transaction mode may not know.

Blazon uses \`pg\` for connections, logins, TLS, and to write and read messages. The messages of a flight leave by one call.
Its statements have no names, also those that set the tenant: a name would make the settings of a transaction depend on the state
in which a session was left.

A query of a tenant waits for two answers of the server: of \`BEGIN\`, the settings and the query in one flight, and of \`COMMIT\`. Only the handler
knows which statement is its last, and a response before the answer to \`COMMIT\` could promise what was not saved.`,
  }
}
