// Measures sessions on each Node, and writes them down one by one, so that a run that is stopped has not been for nothing.
import { checkCallgrind, countInstructions } from './callgrind.mjs'
import { CANDIDATES, programOf } from './candidates.mjs'
import { compileCandidates } from './compile.mjs'
import { readNode, readVersions } from './environment.mjs'
import { checkTools } from './measure.mjs'
import { readResults, saveResults } from './report.mjs'
import { sessionTable } from './sections/requests/tables.mjs'
import { PACKAGES } from './sections/requests/texts.mjs'
import { lanesOf, runSession, SESSIONS } from './sessions.mjs'
import { commandOf } from './summary.mjs'
import { WORKLOADS } from './workloads.mjs'

/** Those that are named, or all when none of this kind is named. */
function chosenOf(kind, only) {
  const all = Object.keys(kind)
  const named = all.filter((name) => only.includes(name))
  return named.length === 0 ? all : named
}

/** Throws when something is named that does not exist. */
function choose(only) {
  const unknown = only.filter((name) => !(name in CANDIDATES) && !(name in SESSIONS))
  if (unknown.length > 0) throw new Error(`--only does not know ${unknown.join(', ')}.`)
  const candidates = chosenOf(CANDIDATES, only)
  const sessions = chosenOf(SESSIONS, only).filter((name) => lanesOf(name, candidates).length > 0)
  const isWhole = candidates.length === Object.keys(CANDIDATES).length
  return { candidates, sessions, isWhole }
}

/** Measures what is chosen by `only` on each of `nodes`, which are paths. */
export async function measureRequests({ nodes, only, rounds, seconds }) {
  const { candidates, sessions, isWhole } = choose(only)
  checkTools()
  await compileCandidates()
  for (const path of nodes) {
    const node = readNode(path)
    for (const name of sessions) {
      console.error(`Node ${node.node}: ${name}`)
      const session = await runSession(name, { candidates, node: path, rounds, seconds })
      console.log(`\nNode ${node.node}, ${name}\n\n${sessionTable(name, session)}\n`)
      if (isWhole) await save({ node, name, session })
    }
  }
}

function save({ node: { major, ...version }, name, session }) {
  const { rounds, seconds } = session
  const command = commandOf('bench', { nodes: major, rounds, seconds, only: name })
  return saveOfNode(major, (before) => ({
    ...before,
    ...version,
    sessions: { ...before.sessions, [name]: { command, ...session } },
  }))
}

/** Counts the instructions of what is chosen by `only` on each of `nodes`, two at a time, because counts do not depend on load. */
export async function countRequests({ nodes, only }) {
  const { candidates, sessions } = choose(only)
  checkCallgrind()
  await compileCandidates()
  const lanes = new Map(
    sessions.flatMap((name) => lanesOf(name, candidates)).map((lane) => [lane.name, lane]),
  )
  const queue = nodes.flatMap((path) => [...lanes.values()].map((lane) => ({ path, lane })))
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      await countLane(next).catch((error) => console.error(`${next.lane.name}: ${error.message}`))
    }
  }
  await Promise.all([work(), work()])
}

async function countLane({ path, lane: { name, candidate, workload } }) {
  const { app, request, expected } = WORKLOADS[workload]
  const { file, args, workload: first } = programOf(candidate, { app, workload })
  const server = { node: path, file, args: [first, ...args] }
  const counted = await countInstructions(server, request, { status: expected.status })
  const { major, ...version } = readNode(path)
  const kilo = Number((counted / 1000).toFixed(1))
  console.log(`Node ${version.node}, ${name}: ${kilo} k instructions`)
  await saveOfNode(major, (before) => ({
    ...version,
    sessions: {},
    ...before,
    counted: { ...before.counted, [name]: kilo },
  }))
}

function saveOfNode(major, change) {
  const { nodes = {} } = readResults('requests') ?? {}
  const changed = { ...nodes, [major]: change(nodes[major] ?? {}) }
  return saveResults('requests', { versions: readVersions(PACKAGES), nodes: changed })
}
