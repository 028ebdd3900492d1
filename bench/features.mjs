// npm run bench:features [-- --rounds 15 --seconds 2 --node /path/to/another/node]: what a feature adds to a request.
//
//   --count             instructions instead of times, by valgrind, printed: on machines that are busy
//   --only limit,logs   variants by name, with `--count`
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { checkCallgrind, countInstructions } from './callgrind.mjs'
import { startServer } from './candidates.mjs'
import { compile } from './compile.mjs'
import { checkTools, measureInTurn, writeScript } from './measure.mjs'
import { markdownTable, median } from './report.mjs'

const PATH = '/users/7'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    seconds: { type: 'string', default: '2' },
    node: { type: 'string', multiple: true, default: [process.execPath] },
    count: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
  },
})
const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)]
const loadBefore = loadavg()[0]

/** Title and goal of each variant; a goal is of added microseconds, or of a ratio. */
const VARIANTS = {
  plain: { title: 'the plain route' },
  tenant: { title: 'with `tenant`', added: { 20: 3.5, 24: 1 } },
  cache: { title: 'a hit of `@Cache` in memory', ratio: 1.1 },
  limit: { title: 'with `rateLimit` in memory', added: { 20: 1 } },
  ids: { title: 'with `requestIds`' },
  logs: { title: 'with `logs`, to `/dev/null`, and request ids' },
  metrics: { title: 'with `metrics`', added: { 20: 0.3, 24: 0.3 } },
  unsampled: { title: 'with `otel()`, not sampled', added: { 20: 0.5, 24: 0.5 } },
  sampled: { title: 'with `otel()`, sampled, no exporter', added: { 20: 6, 24: 6 } },
}

const versionOf = (node) => execFileSync(node, ['-p', 'process.versions.node']).toString().trim()

const request = { method: 'GET', path: PATH, headers: { 'x-tenant-id': 'acme' } }
const compileVariants = () => compile(join(import.meta.dirname, 'features/variants.ts'))

async function measureAll(node) {
  const file = await compileVariants()
  const script = writeScript(request)
  const servers = []
  for (const name of Object.keys(VARIANTS)) {
    // The lines of the log go nowhere.
    const isQuiet = name === 'logs'
    servers.push(await startServer({ name, node, file, workload: name, isQuiet }))
  }
  await checkResponses(servers, request)
  return measureInTurn(servers, { path: PATH, script, seconds, rounds })
}

/** What is compared has to be the same: all send the same body, and the cache sends it from memory. */
async function checkResponses(servers, { headers }) {
  const bodies = new Set()
  for (const { name, port } of servers) {
    const url = `http://127.0.0.1:${port}${PATH}`
    await (await fetch(url, { headers })).text()
    const answer = await fetch(url, { headers })
    bodies.add(`${answer.status} ${await answer.text()}`)
    const isHit = answer.headers.get('x-cache') === 'HIT'
    const isLimited = answer.headers.has('ratelimit')
    const hasId = answer.headers.has('x-request-id')
    const isRight =
      isHit === (name === 'cache') &&
      isLimited === (name === 'limit') &&
      hasId === ['ids', 'logs'].includes(name)
    if (!isRight) {
      throw new Error(`${name} does not do what is measured.`)
    }
  }
  if (bodies.size !== 1) throw new Error(`The answers differ: ${[...bodies].join(' | ')}`)
}

function table(measured, major) {
  const rows = Object.entries(VARIANTS).map(([name, { title, added, ratio }]) => {
    const cost = median(measured.map((costs) => costs[name].microseconds))
    if (name === 'plain') return [title, cost.toFixed(1), '', '', '', '']
    const more = median(
      measured.map((costs) => costs[name].microseconds - costs.plain.microseconds),
    )
    const times = median(
      measured.map((costs) => costs[name].microseconds / costs.plain.microseconds),
    )
    const most = added?.[major]
    const isReached = ratio === undefined ? more <= most : times <= ratio
    const goal = ratio === undefined ? (most === undefined ? '' : `≤ +${most} µs`) : `≤ ${ratio}×`
    const verdict = goal === '' ? '' : isReached ? 'reached' : 'missed'
    return [title, cost.toFixed(1), signed(more), `${times.toFixed(2)}×`, goal, verdict]
  })
  return markdownTable(['', 'µs CPU/request', 'added µs', 'of the plain', 'goal', ''], rows)
}

const signed = (value) => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(1)}`

const page = (sections) => `# What features add to a request

Written by \`npm run bench:features\`. ${cpus()[0].model}, ${cpus().length} cores. ${rounds} rounds of ${seconds} s each. Load average of the machine
when the run began: ${loadBefore.toFixed(1)}; above 0.5, others shared the cores, and every figure is less certain than it should be.

${sections.join('\n\n')}

\`GET /users/:id\`, enveloped, without helmet; every variant is a process of its own, all are measured in turn in every round, and send the same
body. **added** and **of the plain** are medians, over the rounds, of differences and ratios within a round. CPU time is that of the whole
process, user and system, over the requests that were answered.
`

async function measure() {
  checkTools()
  const sections = []
  for (const node of values.node) {
    const version = versionOf(node)
    const section = `## Node ${version}\n\n${table(await measureAll(node), Number.parseInt(version, 10))}`
    console.log(`\n${section}\n`)
    sections.push(section)
  }
  writeFileSync(join(import.meta.dirname, 'FEATURES.md'), page(sections))
  console.log('Written to bench/FEATURES.md.')
}

/** The plain route is always counted, because the others add to it. */
async function count() {
  checkCallgrind()
  const only = ['plain', ...values.only.split(',')]
  const names = Object.keys(VARIANTS).filter((name) => !values.only || only.includes(name))
  const file = await compileVariants()
  for (const node of values.node) {
    console.log(`\n## Node ${versionOf(node)}\n`)
    const counts = {}
    for (const name of names) {
      counts[name] = await countInstructions({ node, file, args: [name] }, request)
      const more = name === 'plain' ? '' : `, ${signed((counts[name] - counts.plain) / 1000)} k`
      console.log(`${name}: ${(counts[name] / 1000).toFixed(1)} k instructions${more}`)
    }
  }
}

await (values.count ? count() : measure())
process.exit()
