// npm run bench:field [-- options]: the seven workloads of the field on PostgreSQL, beside other frameworks: JSON, plaintext, one query,
// 20 queries, fortunes, updates and cached queries. `DATABASE_URL` names the server; without it, the one on this machine is used.
//
//   --nodes 20,24,26   Nodes to measure on, fetched by npm; --node /path/to/node, any number of times, for one that is there.
//                      This very Node when neither is given.
//   --rounds 3         rounds of each workload
//   --seconds 1        seconds of load of a candidate in a round
//   --only db,blazon   workloads and candidates by name. What not every candidate takes part in is shown, not written down.
//   --smoke            only whether all answer as they should
//
// A Node takes about eight minutes.
import { parseArgs } from 'node:util'
import { readEnvironment, readNode, readVersions } from './environment.mjs'
import { CANDIDATES } from './field/candidates.mjs'
import { createDatabase } from './field/database.mjs'
import { compileField, measureWorkload, smokeCandidate } from './field/sessions.mjs'
import { WORKLOADS } from './field/workloads.mjs'
import { checkTools } from './measure.mjs'
import { fetchNodes } from './nodes.mjs'
import { readResults, saveResults } from './report.mjs'
import { keepCandidates, PACKAGES, workloadTable } from './sections/field.mjs'
import { commandOf } from './summary.mjs'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    node: { type: 'string', multiple: true, default: [] },
    nodes: { type: 'string', default: '' },
    smoke: { type: 'boolean', default: false },
  },
})

const list = (text) => text.split(',').filter(Boolean)

/** Those that are named, or all when none of this kind is named. */
function chosenOf(kind) {
  const only = list(values.only)
  const unknown = only.find((name) => !(name in CANDIDATES) && !(name in WORKLOADS))
  if (unknown !== undefined) throw new Error(`--only does not know ${unknown}.`)
  const named = Object.keys(kind).filter((name) => only.includes(name))
  return named.length === 0 ? Object.keys(kind) : named
}

async function smoke() {
  const owner = await createDatabase()
  await compileField()
  let count = 0
  for (const candidate of chosenOf(CANDIDATES)) {
    count += await smokeCandidate(candidate, owner)
    console.error(`${candidate}: all answers as expected`)
  }
  console.log(`${count} workloads of the field are answered as they should be.`)
}

async function measureOn(path, owner) {
  const node = readNode(path)
  const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)]
  const candidates = chosenOf(CANDIDATES)
  for (const workload of chosenOf(WORKLOADS)) {
    console.error(`Node ${node.node}: ${workload}`)
    const environment = readEnvironment()
    const load = { candidates, owner, node: path, rounds, seconds }
    const lanes = keepCandidates(await measureWorkload(workload, load))
    console.log(`\nNode ${node.node}, ${workload}\n\n${workloadTable({ lanes })}\n`)
    const command = commandOf('bench:field', { nodes: node.major, rounds, seconds, only: workload })
    const measured = { command, environment, rounds, seconds, lanes }
    if (candidates.length === Object.keys(CANDIDATES).length) await save(node, workload, measured)
  }
}

/** Writes workloads down one by one, so that a run that is stopped has not been for nothing. */
function save({ major, ...version }, workload, measured) {
  const { nodes = {} } = readResults('field') ?? {}
  const workloads = { ...nodes[major]?.workloads, [workload]: measured }
  return saveResults('field', {
    versions: readVersions(PACKAGES),
    nodes: { ...nodes, [major]: { ...version, workloads } },
  })
}

async function measure() {
  checkTools()
  const nodes = [...values.node, ...fetchNodes(list(values.nodes))]
  const owner = await createDatabase()
  await compileField()
  for (const path of nodes.length === 0 ? [process.execPath] : nodes) await measureOn(path, owner)
}

const task = values.smoke ? smoke : measure
task().then(
  () => process.exit(),
  (error) => {
    console.error(error)
    process.exit(1)
  },
)
