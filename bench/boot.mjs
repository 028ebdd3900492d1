// npm run bench:boot -- [--nodes 20,24,26] [--node /path/to/node] [--rounds 15]: boot of a large API, its document included.
import assert from 'node:assert/strict'
import { fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { compile, compileDecorated } from './compile.mjs'
import { readEnvironment, readNode, readVersions } from './environment.mjs'
import { fetchNodes } from './nodes.mjs'
import { readResults, saveResults } from './report.mjs'
import {
  CANDIDATES,
  keepCandidates,
  middleOf,
  nodeTable,
  PACKAGES,
  ROUTES,
  SIZES,
} from './sections/boot.mjs'
import { commandOf } from './summary.mjs'

const here = import.meta.dirname
const env = { ...process.env, NODE_ENV: 'production' }
const BODY = {
  name: 'Oil lamp',
  email: 'ada@example.com',
  quantity: 3,
  price: 12.5,
  status: 'open',
  tags: ['brass'],
  address: { street: '1 Harbour Road', city: 'Arlington', zip: '22201' },
}

const fileOf = (name) => join(here, CANDIDATES[name].file)

/** Boots a candidate in a process of its own; answers with what it says of its phase. */
async function boot(name, routes, node) {
  const child = fork(fileOf(name), [routes], { execPath: node, env })
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(`${name} has ended`)))
  const [message] = await Promise.race([once(child, 'message'), ended])
  return { child, ...message }
}

/** Candidates end with their parent's channel. */
async function stop({ child }) {
  const exit = once(child, 'exit')
  child.disconnect()
  await exit
}

async function time(name, routes, node) {
  const booted = await boot(name, routes, node)
  await stop(booted)
  const { wall, cpu, whole } = booted
  return { wall, cpu, whole }
}

/** Millions of instructions, user and kernel, of all threads; `undefined` where the machine did not count them. */
function count(args, node) {
  const command = ['stat', '-x,', '-e', 'instructions:u,instructions:k', node, ...args]
  const { status, stderr } = spawnSync('perf', command, { encoding: 'utf8', env })
  if (status !== 0) return undefined
  const counts = stderr.split('\n').filter((line) => line.includes('instructions'))
  const sum = counts.reduce((total, line) => total + Number(line.split(',')[0]), 0) / 1e6
  return Number.isFinite(sum) && sum > 0 ? sum : undefined
}

/** Of the phase alone: a whole process less one that ends before the phase; `null` where one of them was not counted. */
function countPhase(name, routes, node) {
  const whole = count([fileOf(name), routes, 'whole'], node)
  const modules = count([fileOf(name), routes, 'modules'], node)
  const isCounted = whole !== undefined && modules !== undefined
  return { instructions: isCounted ? whole - modules : null }
}

/** A candidate that documents or validates something else is not worth timing. */
async function check(name, node) {
  const booted = await boot(name, ROUTES, node)
  const document = JSON.parse(booted.text)
  if (!CANDIDATES[name].isFloor) {
    const operations = Object.values(document.paths).flatMap((item) => Object.values(item))
    const bodies = operations.filter(({ requestBody }) => requestBody !== undefined)
    assert.deepEqual([operations.length, bodies.length], [ROUTES, ROUTES / 2], `${name} documents`)
    const last = `/things-${ROUTES / 10 - 1}`
    const post = async (body) => (await ask(booted.port, `${last}/7/parts`, body)).status
    assert.ok((await post(BODY)) < 300, `${name} answers`)
    const wrong = { ...BODY, address: { ...BODY.address, zip: '' } }
    assert.equal(await post(wrong), 400, `${name} validates what is nested`)
  }
  await stop(booted)
}

function ask(port, path, body) {
  return fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify(body),
  })
}

/** Every candidate in turn, so that whatever else the machine does hits all of them. */
async function inTurn(names, rounds, measure) {
  const columns = Object.fromEntries(names.map((name) => [name, {}]))
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      for (const [key, value] of Object.entries(await measure(name))) {
        columns[name][key] ??= []
        columns[name][key].push(value === null ? null : Number(value.toFixed(1)))
      }
    }
    console.error(`round ${round + 1} of ${rounds}`)
  }
  return columns
}

async function measureOn(node, rounds) {
  const environment = readEnvironment()
  const names = Object.keys(CANDIDATES)
  const fewer = Math.ceil(rounds / 3)
  for (const name of names) await check(name, node)
  const times = await inTurn(names, rounds, (name) => time(name, ROUTES, node))
  const counts = await inTurn(names, fewer, (name) => countPhase(name, ROUTES, node))
  const candidates = names.map((name) => [name, { ...times[name], ...counts[name] }])
  const measureSize = async (size) => ({
    ...(await time('blazon', size, node)),
    ...countPhase('blazon', size, node),
  })
  const sizes = await inTurn(SIZES, fewer, measureSize)
  const medians = SIZES.map((size) => [
    size,
    Object.fromEntries(Object.entries(sizes[size]).map(([key, list]) => [key, middleOf(list)])),
  ])
  return {
    environment,
    rounds,
    candidates: keepCandidates(Object.fromEntries(candidates)),
    sizes: Object.fromEntries(medians),
  }
}

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    node: { type: 'string', multiple: true, default: [] },
    nodes: { type: 'string', default: '' },
  },
})
await compile(join(here, 'boot/boot-blazon.ts'))
compileDecorated('boot-nest')
const fetched = values.nodes === '' ? [] : fetchNodes(values.nodes.split(','))
const chosen = [...values.node, ...fetched]
for (const path of chosen.length === 0 ? [process.execPath] : chosen) {
  const { major, ...version } = readNode(path)
  const measured = await measureOn(path, Number(values.rounds))
  console.log(`\nNode ${version.node}\n\n${nodeTable(measured)}\n`)
  const { nodes } = readResults('boot') ?? {}
  const command = commandOf('bench:boot', { nodes: major, rounds: values.rounds })
  const results = { ...nodes, [major]: { ...version, command, ...measured } }
  await saveResults('boot', { versions: readVersions(PACKAGES), nodes: results })
}
