// The goals that requests have to reach.
import { CANDIDATES } from '../../candidates.mjs'
import { ROUTE_TITLES } from '../../routes.mjs'
import { WORKLOADS } from '../../workloads.mjs'
import { CPU, INSTRUCTIONS, P99, ratio } from './lanes.mjs'
import { REFUSALS } from './tables.mjs'

/** Of other candidates with the same workload. */
const OF_OTHERS = [
  { session: 'plain', of: 'node', most: { default: 1.03 } },
  { session: 'plain', of: 'fastify', most: { default: 1 } },
  { session: 'full', of: 'node', most: { default: 1.05 } },
  { session: 'full', of: 'fastify', most: { default: 0.55 } },
  { session: 'full', of: 'express', most: { default: 0.2 } },
  { session: 'full', of: 'nest-express', most: { default: 0.1 } },
  { session: 'observed', of: 'fastify', most: { default: 0.5 } },
  { session: 'middlewares', of: 'node', most: { default: 1.8 } },
  { session: 'middlewares', of: 'express', most: { default: 0.4 } },
]
const NAMES = {
  plain: 'plain `GET`',
  full: 'full stack',
  observed: 'full stack, observed',
  middlewares: 'full stack, ten middlewares',
}

/** Of the plain route of the same candidate. */
const MOST_OF_PLAIN = { cached: 1.1, invalid: 3, unauthorized: 1.5, missing: 1.5 }

/** The goals, measured on every Node that there is. */
export function goalsOf(nodes) {
  const kinds = [...ofOthers(), ...ofPlainRoute(), ofRoutes(), ofMemory(), ofPatience()]
  return kinds.map(({ pairs, field = CPU, read = ratio, ...goal }) => ({
    unit: '×',
    ...goal,
    ...measureGoal({ pairs, field, read }, nodes),
  }))
}

/** The worst ratio of a goal's pairs on each Node: by instructions if they are known, with what times say of it. */
function measureGoal({ pairs, field, read }, nodes) {
  const [measured, note] = [{}, {}]
  for (const [major, { sessions }] of Object.entries(nodes)) {
    const all = pairs(sessions)
    const valuesOf = (of) => all.map(([session, ...pair]) => read(session, pair, of))
    const counted = field === CPU ? valuesOf(INSTRUCTIONS) : []
    const isCounted = counted.length > 0 && !counted.includes(undefined)
    const values = isCounted ? counted : valuesOf(field)
    if (values.length === 0 || values.includes(undefined)) continue
    const worst = values.indexOf(Math.max(...values))
    measured[major] = values[worst]
    const [session, ...pair] = all[worst]
    const time = isCounted ? ratio(session, pair, CPU) : undefined
    if (time !== undefined) note[major] = time.toFixed(2)
  }
  return { measured, note }
}

function ofOthers() {
  return OF_OTHERS.map(({ session, of, most }) => ({
    id: `${session}/${of}`,
    what: `${NAMES[session]}, of ${CANDIDATES[of].title}`,
    most,
    pairs: (sessions) => [[sessions[session], `blazon/${session}`, `${of}/${session}`]],
  }))
}

function ofPlainRoute() {
  return ['cached', ...REFUSALS].map((workload) => ({
    id: workload,
    what: `${WORKLOADS[workload].title}, of the plain route`,
    most: { default: MOST_OF_PLAIN[workload] },
    pairs({ cached, refused }) {
      const session = workload === 'cached' ? cached : refused
      return [[session, `blazon/${workload}`, 'blazon/plain']]
    },
  }))
}

function ofRoutes() {
  return {
    id: 'routes',
    what: '10,000 routes, the worst of them, of the same route alone',
    most: { default: 1.05 },
    pairs: ({ routes }) =>
      Object.keys(ROUTE_TITLES).map((route) => [
        routes,
        `blazon/${route}-among`,
        `blazon/${route}-alone`,
      ]),
  }
}

function ofMemory() {
  return {
    id: 'memory',
    what: 'resident memory after the full-stack load, of Fastify',
    most: { default: 1 },
    field: 'resident',
    read: memoryRatio,
    pairs: ({ full }) => [[full, 'blazon/full', 'fastify/full']],
  }
}

function ofPatience() {
  return {
    id: 'p99',
    what: 'p99 of the full stack at 64 connections, of Fastify',
    most: { default: 1 },
    field: P99,
    pairs: ({ full }) => [[full, 'blazon/full', 'fastify/full']],
  }
}

/** Memory is measured once, when all rounds are over. */
function memoryRatio(session, names) {
  const [ours, theirs] = names.map((name) => session?.lanes[name]?.resident)
  return ours && theirs && ours / theirs
}
