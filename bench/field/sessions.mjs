// Candidates of the field, started, checked and loaded: one workload by all of them in the same rounds.
import { join } from 'node:path'
import { startServer } from '../candidates.mjs'
import { ask } from '../check.mjs'
import { compile, compileDecorated } from '../compile.mjs'
import { measureInTurn, warmUp, writeScript } from '../measure.mjs'
import { CANDIDATES, isFloor, isTenant } from './candidates.mjs'
import { checkWorkload, headersOf, WORKLOADS } from './workloads.mjs'

const bench = join(import.meta.dirname, '..')
const CONNECTIONS = 64
const WARM_UP_LOADS = 5

/** What is kept of a measurement, with the digits worth keeping. */
const FIELDS = { microseconds: 2, perSecond: 0, p99: 3 }

/** Compiles the candidates that are TypeScript, so that no loader runs inside the measured process. */
export async function compileField() {
  await compile(join(bench, 'field', 'field-blazon.ts'))
  compileDecorated('nest', { from: 'field', to: 'field-nest' })
}

async function start(candidate, options) {
  const { file, args } = CANDIDATES[candidate]
  const [workload, ...others] = args
  const server = await startServer({
    name: candidate,
    file: join(bench, file),
    workload,
    args: others,
    ...options,
  })
  return { ...server, isTenant: isTenant(candidate), isFloor: isFloor(candidate) }
}

/** Measures a workload with candidates; answers with a list for each field and candidate, a number a round. */
export async function measureWorkload(workload, { candidates, owner, node, rounds, seconds }) {
  const servers = []
  for (const candidate of candidates) {
    const server = await start(candidate, { node })
    await checkWorkload(server, workload, owner)
    servers.push(await warm(server, workload))
  }
  const measured = await measureInTurn(servers, { rounds, seconds, connections: CONNECTIONS })
  return Object.fromEntries(candidates.map((name) => [name, columnsOf(measured, name)]))
}

async function warm(server, workload) {
  const { path, warmUp: requests } = WORKLOADS[workload]
  const script = writeScript({ method: 'GET', headers: headersOf(server.isTenant) })
  const loaded = { ...server, load: { path, script } }
  await warmUp(loaded, { connections: CONNECTIONS, requests, loads: WARM_UP_LOADS })
  return loaded
}

function columnsOf(measured, name) {
  return Object.fromEntries(
    Object.entries(FIELDS).map(([field, digits]) => [
      field,
      measured.map((results) => Number(results[name][field].toFixed(digits))),
    ]),
  )
}

const SMOKE_REQUESTS = 40

/** Checks every workload with candidates, also with many requests at once, and times nothing. Answers with how many were checked. */
export async function smokeCandidate(candidate, owner) {
  const server = await start(candidate, { isPinned: false })
  for (const workload of Object.keys(WORKLOADS)) {
    await checkWorkload(server, workload, owner)
    await askAtOnce(server, workload)
  }
  server.stop()
  return Object.keys(WORKLOADS).length
}

async function askAtOnce({ name, port, isTenant: hasTenant }, workload) {
  const { path } = WORKLOADS[workload]
  const request = { method: 'GET', path, headers: headersOf(hasTenant) }
  const asked = Array.from({ length: SMOKE_REQUESTS }, () => ask(port, request))
  for (const { status, body } of await Promise.all(asked)) {
    if (status !== 200)
      throw new Error(`${name} answers ${path} with ${status} under load: ${body}`)
  }
}
