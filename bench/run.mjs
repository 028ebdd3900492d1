// npm run bench [-- --rounds 9 --seconds 2 --only get,post,node,fastify,express,blazon]
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { CANDIDATES, compileCandidates, startCandidate } from './candidates.mjs'
import { checkAnswers, checkSameHeaders } from './check.mjs'
import { checkTools, measure, writeScript } from './measure.mjs'
import { page, table } from './report.mjs'
import { WORKLOADS } from './workloads.mjs'

const WARM_UP_SECONDS = 3

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    seconds: { type: 'string', default: '2' },
    only: { type: 'string', default: '' },
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

async function runWorkload(name) {
  const workload = WORKLOADS[name]
  const { path } = workload.request
  const script = writeScript(workload.request)
  const servers = []
  const headers = {}
  for (const candidate of chosen(CANDIDATES)) {
    const server = await startCandidate(candidate, name)
    servers.push(server)
    headers[candidate] = await checkAnswers(server, workload)
  }
  checkSameHeaders(headers)
  for (const server of servers) await measure(server, { path, script, seconds: WARM_UP_SECONDS })
  const rounds = []
  for (let round = 0; round < settings.rounds; round++) {
    const measured = {}
    for (const server of rotated(servers, round)) {
      measured[server.name] = await measure(server, { path, script, seconds: settings.seconds })
    }
    rounds.push(Object.fromEntries(servers.map(({ name }) => [name, measured[name]])))
    console.error(`${name}: round ${round + 1} of ${settings.rounds}`)
  }
  for (const server of servers) server.stop()
  return { title: workload.title, body: table(rounds, workload.goals) }
}

/** Every other round backwards, so that no candidate always runs behind the same one and inherits its hot or cold machine. */
function rotated(list, round) {
  const start = Math.floor(round / 2) % list.length
  const order = [...list.slice(start), ...list.slice(0, start)]
  return round % 2 === 0 ? order : order.reverse()
}

async function main() {
  const unknown = only.filter((name) => !(name in CANDIDATES) && !(name in WORKLOADS))
  if (unknown.length > 0) throw new Error(`--only does not know ${unknown.join(', ')}.`)
  checkTools()
  await compileCandidates()
  const sections = []
  for (const name of chosen(WORKLOADS)) {
    const section = await runWorkload(name)
    console.log(`\n${section.title}\n\n${section.body}\n`)
    sections.push(section)
  }
  if (only.length === 0) {
    writeFileSync(join(import.meta.dirname, 'RESULTS.md'), page(sections, settings))
    console.log('Written to bench/RESULTS.md.')
  }
}

main().then(
  () => process.exit(),
  (error) => {
    console.error(error.message)
    process.exit(1)
  },
)
