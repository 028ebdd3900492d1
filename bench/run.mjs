// npm run bench [-- --rounds 5 --seconds 1 --node /path/to/node --only full,node,blazon]
import { parseArgs } from 'node:util'
import { CANDIDATES, compileCandidates } from './candidates.mjs'
import { readNode, readVersions } from './environment.mjs'
import { checkTools } from './measure.mjs'
import { readResults, saveResults } from './report.mjs'
import { PACKAGES, sessionTables } from './sections/requests.mjs'
import { lanesOf, runSession } from './sessions.mjs'
import { SESSIONS } from './workloads.mjs'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    node: { type: 'string', multiple: true, default: [process.execPath] },
  },
})
const settings = { rounds: Number(values.rounds), seconds: Number(values.seconds) }
const only = values.only.split(',').filter(Boolean)

/** Those that `--only` names, or all when it names none of this kind. */
function chosen(kind) {
  const all = Object.keys(kind)
  const named = all.filter((name) => only.includes(name))
  return named.length === 0 ? all : named
}

/** Measures the chosen sessions on one Node and writes down those in which every candidate took part. */
async function measureNode(path) {
  const { major, ...version } = readNode(path)
  const isComplete = chosen(CANDIDATES).length === Object.keys(CANDIDATES).length
  for (const name of chosen(SESSIONS)) {
    if (lanesOf(name, chosen(CANDIDATES)).length === 0) continue
    console.error(`Node ${version.node}: ${name}`)
    const session = await runSession(name, { ...settings, chosen: chosen(CANDIDATES), node: path })
    console.log(`\nNode ${version.node}, ${name}\n\n${sessionTables(name, session)}\n`)
    if (isComplete) save({ major, version, name, session })
  }
}

function save({ major, version, name, session }) {
  const results = readResults('requests') ?? { nodes: {} }
  const before = results.nodes[major]
  results.versions = readVersions(PACKAGES)
  results.nodes[major] = { ...version, sessions: { ...before?.sessions, [name]: session } }
  saveResults('requests', results)
}

async function main() {
  const unknown = only.filter((name) => !(name in CANDIDATES) && !(name in SESSIONS))
  if (unknown.length > 0) throw new Error(`--only does not know ${unknown.join(', ')}.`)
  checkTools()
  await compileCandidates()
  for (const path of values.node) await measureNode(path)
}

main().then(
  () => process.exit(),
  (error) => {
    console.error(error.message)
    process.exit(1)
  },
)
