// Sessions: candidates that are compared with one another, started, checked, and loaded in turn.

import { setTimeout } from 'node:timers/promises'
import { checkAlike } from './alike.mjs'
import { CANDIDATES, canBe, startCandidate } from './candidates.mjs'
import { checkResponses } from './check.mjs'
import { readEnvironment } from './environment.mjs'
import { measureInTurn, warmUp, writeScript } from './measure.mjs'
import { isRoutes, ROUTE_TITLES } from './routes.mjs'
import { keepLanes } from './sections/requests/lanes.mjs'
import { WORKLOADS } from './workloads.mjs'

const CONNECTIONS = 64

/**
 * How long an application of thousands of routes rests before its first request. A load that meets V8's collection of the garbage of
 * such a boot makes V8 allocate objects of requests where only a full collection frees them (`--no-allocation-site-pretenuring` prevents
 * it): on Nodes 20 and 24, a request then takes up to twice as long, until the process ends.
 */
const REST_MS = 4000

/** What is kept of a measurement, with the digits worth keeping. */
const FIELDS = { microseconds: 2, perSecond: 0, p99: 3, userKilo: 2, kernelKilo: 2 }

/** Those of the sessions with one request for all; one floor has nothing but middlewares. */
const ALL = Object.keys(CANDIDATES).filter((candidate) => canBe(candidate, 'full'))
/** The others are checked for refusals, but not timed. */
const REFUSING = ['node', 'fastify', 'express', 'nest-express', 'blazon']

const each = (candidates, workloads) =>
  Object.fromEntries(candidates.map((candidate) => [candidate, workloads]))
const routes = (...names) => names.flatMap((name) => [`${name}-alone`, `${name}-among`])

/** Sessions by name: who is asked for what, in the same rounds. A candidate's own workloads come one after the other, for they are compared, too. */
export const SESSIONS = {
  plain: each(ALL, ['plain']),
  full: each(ALL, ['full']),
  observed: each(['fastify', 'blazon'], ['observed']),
  middlewares: each(['node', 'node-behind', 'express', 'nest-express', 'blazon'], ['middlewares']),
  cached: each(['node', 'blazon'], ['plain', 'cached']),
  refused: each(REFUSING, ['plain', 'full', 'invalid', 'unauthorized', 'missing']),
  routes: {
    blazon: routes(...Object.keys(ROUTE_TITLES)),
    fastify: routes('last'),
    express: routes('last'),
  },
}

/** The lanes of a session in which only some candidates take part. */
export function lanesOf(session, candidates) {
  return Object.entries(SESSIONS[session])
    .filter(([candidate]) => candidates.includes(candidate))
    .flatMap(([candidate, workloads]) =>
      workloads.map((workload) => ({ name: `${candidate}/${workload}`, candidate, workload })),
    )
}

/** Measures a session; answers with what is written down of it. */
export async function runSession(session, { candidates, node, rounds, seconds }) {
  const environment = readEnvironment()
  const servers = []
  for (const lane of lanesOf(session, candidates)) servers.push(await prepareLane(lane, node))
  const differences = checkAlike(servers)
  const measured = await measureInTurn(servers, { rounds, seconds, connections: CONNECTIONS })
  const lanes = servers.map((server) => [
    server.name,
    { ...columns(measured, server.name), ...memory(server), headers: differences[server.name] },
  ])
  return {
    environment,
    rounds,
    seconds,
    connections: CONNECTIONS,
    lanes: keepLanes(Object.fromEntries(lanes)),
  }
}

/** Starts a server, checks what it answers, and warms it up at once. */
async function prepareLane(lane, node) {
  const { app, request, expected } = WORKLOADS[lane.workload]
  const started = await startCandidate(lane.candidate, { app, workload: lane.workload, node })
  const isRefused = expected.status >= 300
  const load = { path: request.path, script: writeScript(request), isRefused }
  const server = { ...started, ...lane, load }
  if (isRoutes(app)) await setTimeout(REST_MS)
  server.answer = await checkResponses(server, WORKLOADS[lane.workload])
  await warmUp(server, { connections: CONNECTIONS })
  return server
}

/** One list for each field, a number a round. */
function columns(measured, name) {
  const present = Object.entries(FIELDS).filter(([field]) => measured[0][name][field] !== undefined)
  return Object.fromEntries(
    present.map(([field, digits]) => [
      field,
      measured.map((results) => Number(results[name][field].toFixed(digits))),
    ]),
  )
}

function memory({ memory: { resident, peak } }) {
  return { resident: Math.round(resident), peak: Math.round(peak) }
}
