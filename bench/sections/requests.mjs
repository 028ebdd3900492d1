// What requests cost: the workloads of bench/workloads.mjs.
import { CANDIDATES } from '../candidates.mjs'
import { describeEnvironment } from '../environment.mjs'
import { ROUTE_TITLES } from '../routes.mjs'
import { markdownTable, median } from '../tables.mjs'
import { SESSIONS, WORKLOADS } from '../workloads.mjs'

/** Packages whose versions stand in the results. */
export const PACKAGES = [
  'fastify',
  '@fastify/helmet',
  '@fastify/cors',
  '@fastify/rate-limit',
  'express',
  'helmet',
  'cors',
  'express-rate-limit',
  'zod',
  'find-my-way',
]

const GOALS = [
  { session: 'plain', of: 'node', most: { default: 1.08 } },
  { session: 'plain', of: 'fastify', most: { default: 1 } },
  { session: 'full', of: 'node', most: { default: 1.2, 20: 1.35 } },
  { session: 'full', of: 'fastify', most: { default: 0.55 } },
  { session: 'full', of: 'express', most: { default: 0.2 } },
  { session: 'full', of: 'nest-express', most: { default: 0.1 } },
  { session: 'middlewares', of: 'express', most: { default: 0.4 } },
]

/** CPU time: what goals are about. */
const cpu = (lane) => lane.microseconds

/** Instructions of user and kernel together, in thousands. */
function instructions({ userKilo, kernelKilo }) {
  return userKilo?.map((user, round) => user + kernelKilo[round])
}

/** The median, over the rounds, of what one lane takes over what another takes in the same round. */
function ratio(lane, other, measure) {
  const [ours, theirs] = [measure(lane), measure(other)]
  if (ours === undefined || theirs === undefined) return undefined
  return median(ours.map((value, round) => value / theirs[round]))
}

const times = (value) => (value === undefined ? '' : `${value.toFixed(2)}×`)

/** The Markdown of one session on one Node. */
export function sessionTables(name, { lanes }) {
  if (name === 'routes') return routesTable(lanes)
  if (name === 'refused') return refusedTable(lanes)
  if (name === 'cached') return cachedTable(lanes)
  return workloadTable(lanes, SESSIONS[name].workloads[0])
}

function candidatesIn(lanes) {
  return Object.keys(CANDIDATES).filter((name) =>
    Object.keys(lanes).some((lane) => lane.startsWith(`${name}/`)),
  )
}

function workloadTable(lanes, workload) {
  const [floor, blazon] = [lanes[`node/${workload}`], lanes[`blazon/${workload}`]]
  const rows = candidatesIn(lanes).map((name) => {
    const lane = lanes[`${name}/${workload}`]
    const over = (other, measure) => (other === undefined ? '' : times(ratio(lane, other, measure)))
    const under = (measure) =>
      blazon === undefined || lane === blazon ? '' : times(ratio(blazon, lane, measure))
    return [
      CANDIDATES[name].title,
      median(lane.microseconds).toFixed(1),
      kilo(lane),
      Math.round(median(lane.perSecond)),
      median(lane.p99).toFixed(1),
      `${lane.resident} (${lane.peak})`,
      over(floor, cpu),
      over(floor, instructions),
      under(cpu),
      under(instructions),
    ]
  })
  const head = ['', 'µs CPU', 'k instructions', 'requests/s', 'p99 ms', 'MB (peak)']
  return markdownTable(
    [...head, 'of bare node', 'by instructions', 'Blazon is', 'by instructions'],
    rows,
  )
}

function kilo({ userKilo, kernelKilo }) {
  if (userKilo === undefined) return ''
  return `${median(userKilo).toFixed(1)} + ${median(kernelKilo).toFixed(1)}`
}

const cells = (lane, baseline) => [
  median(lane.microseconds).toFixed(1),
  times(ratio(lane, baseline, cpu)),
  times(ratio(lane, baseline, instructions)),
]

function cachedTable(lanes) {
  const rows = candidatesIn(lanes).map((name) => {
    const plain = lanes[`${name}/plain`]
    return [
      CANDIDATES[name].title,
      median(plain.microseconds).toFixed(1),
      ...cells(lanes[`${name}/cached`], plain),
    ]
  })
  return markdownTable(
    ['', 'plain, µs CPU', 'hit, µs CPU', 'of the plain', 'by instructions'],
    rows,
  )
}

const REFUSALS = ['invalid', 'unauthorized', 'missing']

function refusedTable(lanes) {
  const rows = candidatesIn(lanes).map((name) => {
    const plain = lanes[`${name}/plain`]
    const refused = REFUSALS.flatMap((workload) => cells(lanes[`${name}/${workload}`], plain))
    return [CANDIDATES[name].title, median(plain.microseconds).toFixed(1), ...refused]
  })
  const head = REFUSALS.flatMap((workload) => [
    WORKLOADS[workload].expected.status,
    'of the plain',
    'by instructions',
  ])
  return markdownTable(['µs CPU', 'plain', ...head], rows)
}

function routesTable(lanes) {
  const rows = candidatesIn(lanes).flatMap((candidate) =>
    Object.entries(ROUTE_TITLES).map(([route, title]) => {
      const [alone, among] = ['alone', 'among'].map(
        (where) => lanes[`${candidate}/${route}-${where}`],
      )
      return [
        `${CANDIDATES[candidate].title}: ${title}`,
        median(alone.microseconds).toFixed(1),
        ...cells(among, alone),
      ]
    }),
  )
  return markdownTable(['', 'alone, µs CPU', 'among 10,000', 'of alone', 'by instructions'], rows)
}

/** A goal about a ratio of two lanes, on every Node that was measured. */
function ratioGoal({ id, what, most, pair }, nodes) {
  const goal = { id, what, most, unit: '×', measured: {}, note: {} }
  for (const [major, { sessions }] of Object.entries(nodes)) {
    const [lane, other] = pair(sessions) ?? []
    if (lane === undefined || other === undefined) continue
    goal.measured[major] = ratio(lane, other, cpu)
    const counted = ratio(lane, other, instructions)
    if (counted !== undefined) goal.note[major] = `${counted.toFixed(2)}`
  }
  return goal
}

function goalsOf(nodes) {
  const ofOthers = GOALS.map(({ session, of, most }) => ({
    id: `${session}/${of}`,
    what: `${session}, of ${CANDIDATES[of]?.title ?? of}`,
    most,
    pair: ({ [session]: it }) => [it?.lanes[`blazon/${session}`], it?.lanes[`${of}/${session}`]],
  }))
  const ofPlain = ['cached', ...REFUSALS].map((workload) => ({
    id: workload,
    what: `${WORKLOADS[workload].title}, of the plain route`,
    most: { default: workload === 'cached' ? 1.1 : 1.5 },
    pair({ cached, refused }) {
      const it = workload === 'cached' ? cached : refused
      return [it?.lanes[`blazon/${workload}`], it?.lanes['blazon/plain']]
    },
  }))
  return [...ofOthers, ...ofPlain].map((goal) => ratioGoal(goal, nodes))
}

/** The section of the page; see report.mjs. */
export function section({ versions, nodes }) {
  const body = Object.values(nodes).map(({ node, v8, sessions }) => {
    const parts = Object.entries(sessions).map(
      ([name, session]) =>
        `#### ${name}\n\n${describeEnvironment(session.environment)}\n\n${sessionTables(name, session)}`,
    )
    return `### Node ${node} (V8 ${v8})\n\n${parts.join('\n\n')}`
  })
  const list = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
  return {
    title: 'Requests',
    body: `${list.join(', ')}.\n\n${body.join('\n\n')}`,
    goals: goalsOf(nodes),
  }
}
