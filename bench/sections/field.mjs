// The seven workloads of the field: bench/field.mjs.
import { describeEnvironment } from '../environment.mjs'
import { CANDIDATES, peersOf } from '../field/candidates.mjs'
import { medianOf, summarizeLanes } from '../summary.mjs'
import { markdownTable } from '../tables.mjs'

/** Packages whose versions stand in the results. */
export const PACKAGES = [
  'pg',
  'express',
  'fastify',
  '@fastify/postgres',
  '@fastify/view',
  'hono',
  '@hono/node-server',
  '@nestjs/core',
  '@nestjs/platform-express',
  '@nestjs/platform-fastify',
  '@nestjs/cache-manager',
  'handlebars',
  'hbs',
  'lru-cache',
]

/** Titles of the workloads, in their order. */
const TITLES = {
  json: 'JSON',
  plaintext: 'Plaintext',
  db: 'One query',
  queries: '20 queries',
  fortunes: 'Fortunes',
  updates: 'Updates of 20 rows',
  cached: '20 cached queries',
}

/** What is kept of the candidates of one workload; Blazon's ratios to all, and everybody's to the floor. */
export function keepCandidates(lanes) {
  const names = Object.keys(lanes)
  const pairs = names.flatMap((name) => {
    const { floor, blazon } = peersOf(name)
    return [
      [name, floor],
      [blazon, name],
    ]
  })
  const isKnown = ([one, other]) => one !== other && names.includes(one) && names.includes(other)
  return summarizeLanes(lanes, {
    spread: ['microseconds'],
    middle: ['perSecond', 'p99'],
    pairs: pairs.filter(isKnown),
  })
}

const times = (value) => (value === undefined ? '' : `${value.toFixed(2)}×`)

/** The ratio of a field of two candidates, within a round; 1 of the same, nothing when one of them was not measured. */
function ratio(lanes, [name, other], field) {
  if (lanes[name] === undefined || lanes[other] === undefined) return undefined
  return name === other ? 1 : medianOf(lanes[name].of?.[other]?.[field])
}

/** A row for each candidate that was measured. */
export function workloadTable({ lanes }) {
  const measured = Object.keys(CANDIDATES).filter((name) => lanes[name] !== undefined)
  const rows = measured.map((name) => {
    const { floor, blazon } = peersOf(name)
    const { microseconds, perSecond, p99 } = lanes[name]
    const ofBlazon = (field) => (name === blazon ? '' : times(ratio(lanes, [blazon, name], field)))
    return [
      CANDIDATES[name].title,
      microseconds.median.toFixed(1),
      times(ratio(lanes, [name, floor], 'microseconds')),
      ofBlazon('microseconds'),
      Math.round(perSecond),
      times(ratio(lanes, [name, floor], 'perSecond')),
      ofBlazon('perSecond'),
      p99.toFixed(1),
    ]
  })
  const compared = ['of bare', 'Blazon is']
  return markdownTable(['', 'µs CPU', ...compared, 'requests/s', ...compared, 'p99 ms'], rows)
}

function workloadOnNode({ node, workloads }, name) {
  const measured = workloads[name]
  if (measured === undefined) return undefined
  const { rounds, seconds, environment } = measured
  return `**Node ${node}.** ${rounds} rounds of ${seconds} s. ${describeEnvironment(environment)}\n\n${workloadTable(measured)}`
}

/** The section of the page; see report.mjs. */
export function section({ versions, nodes }) {
  const parts = Object.entries(TITLES).flatMap(([name, title]) => {
    const tables = Object.values(nodes).map((node) => workloadOnNode(node, name))
    const present = tables.filter((table) => table !== undefined)
    return present.length === 0 ? [] : [`### ${title}`, TEXTS[name], ...present]
  })
  const named = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
  return {
    title: 'Workloads of the field',
    goals: [],
    body: [HOW_TO_READ, `${named.join(', ')}.`, ...parts].join('\n\n'),
  }
}

const TEXTS = {
  json: '`GET /json`: an object with one field.',
  plaintext: '`GET /plaintext`: a text.',
  db: '`GET /db`: one random row.',
  queries: '`GET /queries?queries=20`: 20 random rows, each by a statement of its own.',
  fortunes:
    '`GET /fortunes`: the rows of a table and one more, sorted, in a page that is rendered on the server; a row holds a script.',
  updates:
    '`GET /updates?queries=20`: 20 random rows, each by a statement of its own, then one statement that gives all of them another number.',
  cached:
    '`GET /cached-worlds?count=20`: 20 random rows from a cache in memory that holds all 10,000 of them one by one.',
}

const HOW_TO_READ = `Measured by \`npm run bench:field\`: the workloads of TechEmpower's suite, with rows and texts of our own.

**µs CPU** is the CPU time of the server's process for a request; PostgreSQL is another process, and shares the machine with all of them. **of bare** and
**Blazon is** are medians, over the rounds, of ratios within a round: of CPU time, where less is better, and of requests a second, where more is. Where the
database is asked, requests a second depend on what PostgreSQL leaves of the cores, and CPU time says what the framework costs. Commits do not wait for the disk
(\`synchronous_commit = off\`). \`wrk\` keeps 64 connections.

Everybody has 10 connections of \`pg\`, and is written as its documentation has it. Fastify: @fastify/postgres, response schemas, @fastify/view with Handlebars.
Hono: its \`html\` helper. Express: hbs. NestJS: a provider with the pool, \`@Render\` with hbs or @fastify/view, its cache module. Blazon: its database plugin, \`res.render\` with hbs,
\`CacheManager\`, \`envelope: false\`. Fastify, Hono and Express cache with lru-cache, and bare node:http in a map. Bare node:http renders the same Handlebars template.

With a tenant, every request has a token that a guard checks and a tenant that is authorised, and all statements of a request are one transaction, as a role that sees the rows of this
tenant only. It is compared with bare node:http that sends the same statements of the transaction, and checks neither token nor tenant.

Before anything is timed, each answer is checked: status, type, every field; the number of rows, also where the request says none or too many; the rows against the table, updated ones after the
request; fortunes sorted and escaped; cached rows after the table was changed. With a tenant: 401 without a token, 403 for somebody else's tenant, and no row of another tenant.
\`npm run bench:field -- --smoke\` does only that.`
