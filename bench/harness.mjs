// npm run bench:harness [-- --rounds 15 --requests 200 --apps 200]: what tests pay for the harness.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { TestApp } from 'blazon/testing'
import supertest from 'supertest'
import { compile } from './compile.mjs'
import { markdownTable, median } from './report.mjs'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    requests: { type: 'string', default: '200' },
    apps: { type: 'string', default: '200' },
  },
})
const [rounds, requests, apps] = [values.rounds, values.requests, values.apps].map(Number)

const MAX_MS = 2
const THING = { name: 'Lamp', price: 12.5, tags: ['new'] }
const loadBefore = loadavg()[0]

/** Milliseconds of the processor that this process has had. */
function cpuMilliseconds() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Runs something; answers with what it took, in milliseconds. */
async function time(run) {
  const [wall, cpu] = [performance.now(), cpuMilliseconds()]
  await run()
  return { wall: performance.now() - wall, cpu: cpuMilliseconds() - cpu }
}

/** What it takes to make an application of fifty routes and to close it. */
async function measureStart(options) {
  const startAndClose = async () => {
    const app = await TestApp.create(options)
    await app.close()
  }
  const first = await time(startAndClose)
  const times = []
  for (let index = 0; index < apps; index++) times.push(await time(startAndClose))
  const wall = median(times.map((each) => each.wall))
  const cpu = times.reduce((sum, each) => sum + each.cpu, 0) / apps
  const verdict = wall <= MAX_MS ? 'reached' : 'missed'
  return markdownTable(
    ['first', 'median of the others', 'CPU time each', 'goal', ''],
    [[ms(first.wall), ms(wall), ms(cpu), `≤ ${MAX_MS} ms`, verdict]],
  )
}

/** Ways to send a request: the harness with and without its checks, and what others do. */
async function openWays(options) {
  const plain = await TestApp.create({ ...options, contract: 'off' })
  const checked = await TestApp.create({ ...options, contract: 'throw' })
  const listening = await TestApp.create({ ...options, contract: 'off' })
  const { port } = await listening.listen(0, '127.0.0.1')
  return {
    ways: [
      { name: 'supertest on a port', agent: () => supertest(`http://127.0.0.1:${port}`) },
      { name: 'supertest that listens for every request', agent: () => supertest(plain.handler) },
      { name: "TestApp, `contract: 'off'`", agent: () => plain.request(), goal: 2.5 },
      { name: "TestApp, `contract: 'throw'`", agent: () => checked.request(), goal: 2 },
    ],
    close: () => Promise.all([plain, checked, listening].map((app) => app.close())),
  }
}

async function send({ agent }, count) {
  for (let index = 0; index < count; index++) {
    const { status, body } = await agent().post('/things-3').send(THING)
    assert.equal(status, 201)
    assert.deepEqual(body.data, THING)
  }
}

/** What a request takes each way, in turns, so that whatever else the machine does hits all of them. */
async function measureRequests(options) {
  const { ways, close } = await openWays(options)
  for (const way of ways) await send(way, requests)
  const measured = []
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? ways : ways.toReversed()
    const times = new Map()
    for (const way of order) times.set(way, await time(() => send(way, requests)))
    measured.push(times)
  }
  await close()
  const rows = ways.map((way) => {
    const of = (key) => median(measured.map((times) => times.get(way)[key])) / requests
    const ratios = measured.map((times) => times.get(ways[0]).wall / times.get(way).wall)
    const ratio = median(ratios)
    const verdict = way.goal === undefined ? '' : ratio >= way.goal ? 'reached' : 'missed'
    const goal = way.goal === undefined ? '' : `≥ ${way.goal}×`
    return [way.name, ms(of('wall')), ms(of('cpu')), `${ratio.toFixed(2)}×`, goal, verdict]
  })
  return markdownTable(['', 'a request', 'CPU time', 'rate', 'goal', ''], rows)
}

function ms(value) {
  return `${value.toFixed(2)} ms`
}

function page(start, sent) {
  return `# What the test harness costs

Written by \`npm run bench:harness\`. Node ${process.versions.node}, ${cpus()[0].model}, ${cpus().length} cores. Load average of the
machine when the run began: ${loadBefore.toFixed(1)}; above 0.5, others shared the cores, and every figure is higher than it should be.

## (a) An application of fifty routes, made and closed

${start}

Ten controllers with schemas of zod, a guard, and everything else as it comes: the median of ${apps}, after the first, which pays for loading and
compiling.

## (b) A request

${sent}

\`POST\` with a validated body and a guard, answered with 201: the median of ${rounds} rounds of ${requests} requests each way, all ways in turn in every
round. **rate** is the median, over the rounds, of how many times as many requests were answered as by supertest on a port in the same round.
`
}

const { options } = await import(
  await compile(join(import.meta.dirname, 'harness/fifty-routes.ts'))
)
const start = await measureStart(options)
console.log(`\n${start}\n`)
const sent = await measureRequests(options)
console.log(`${sent}\n`)
writeFileSync(join(import.meta.dirname, 'HARNESS.md'), page(start, sent))
console.log('Written to bench/HARNESS.md.')
