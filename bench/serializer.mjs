// npm run bench:serializer -- [--nodes 20,22,24,26] [--node /path/to/node] [--rounds 5] [--only users]: what JSON costs, and what a schema may save of it.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startServer } from './candidates.mjs'
import { compile } from './compile.mjs'
import { readEnvironment, readNode, readVersions } from './environment.mjs'
import { checkTools, measureInTurn, writeScript } from './measure.mjs'
import { fetchNodes } from './nodes.mjs'
import { readResults, saveResults } from './report.mjs'
import { keepLanes, LANES, nodeTable } from './sections/serializer.mjs'
import { ANSWERS } from './serializer/answers.mjs'
import { commandOf } from './summary.mjs'

const PATH = '/answer'
const here = import.meta.dirname

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '1' },
    only: { type: 'string', default: Object.keys(ANSWERS).join() },
    node: { type: 'string', multiple: true, default: [] },
    nodes: { type: 'string', default: '' },
  },
})
const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)]
const list = (text) => text.split(',').filter(Boolean)

/** All lanes with one answer; they draw the same values in the same order, so their first answers are the same. */
async function measureAnswer(answer, node) {
  const servers = []
  for (const [name, { file }] of Object.entries(LANES)) {
    const workload = `${name}:${answer}`
    servers.push({ ...(await startServer({ name, node, file: join(here, file), workload })) })
  }
  const bodies = await Promise.all(servers.map(({ port }) => read(port)))
  for (const body of bodies) assert.equal(body, bodies[0], `${answer} is the same for all`)
  const script = writeScript({ method: 'GET', headers: {} })
  const measured = await measureInTurn(servers, { path: PATH, script, seconds, rounds })
  const column = (name, field) => measured.map((round) => Number(round[name][field]?.toFixed(2)))
  const lanes = servers.map(({ name }) => [
    name,
    {
      microseconds: column(name, 'microseconds'),
      userKilo: column(name, 'userKilo'),
      kernelKilo: column(name, 'kernelKilo'),
    },
  ])
  return { bytes: bodies[0].length, lanes: keepLanes(Object.fromEntries(lanes)) }
}

async function read(port) {
  const response = await fetch(`http://127.0.0.1:${port}${PATH}`)
  assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8')
  return response.text()
}

async function measureOn(path) {
  const { major, ...version } = readNode(path)
  const environment = readEnvironment()
  const answers = {}
  for (const answer of list(values.only)) {
    console.error(`Node ${version.node}: ${ANSWERS[answer].title}`)
    answers[answer] = await measureAnswer(answer, path)
  }
  const command = commandOf('bench:serializer', { nodes: major, rounds, seconds })
  const measured = { ...version, command, environment, rounds, seconds, answers }
  console.log(`\nNode ${version.node}\n\n${nodeTable(measured)}\n`)
  const isWhole = Object.keys(ANSWERS).every((name) => name in answers)
  if (!isWhole) return
  const { nodes } = readResults('serializer') ?? {}
  const versions = readVersions(['fast-json-stringify'])
  await saveResults('serializer', { versions, nodes: { ...nodes, [major]: measured } })
}

checkTools()
await compile(join(here, 'serializer/documented.ts'))
const chosen = [...values.node, ...fetchNodes(list(values.nodes))]
for (const path of chosen.length === 0 ? [process.execPath] : chosen) await measureOn(path)
process.exit()
