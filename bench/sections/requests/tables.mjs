// Sessions as Markdown.
import { CANDIDATES } from '../../candidates.mjs'
import { ROUTE_TITLES } from '../../routes.mjs'
import { markdownTable, median } from '../../tables.mjs'
import { WORKLOADS } from '../../workloads.mjs'
import { candidatesOf, cpu, instructions, ratio, ratios } from './lanes.mjs'

const TABLES = { cached: cachedTable, refused: refusedTable, routes: routesTable }

/** The table of a session on one Node. */
export function sessionTable(name, session) {
  const table = TABLES[name] ?? candidatesTable
  return table(session, name)
}

const microseconds = (lane) => median(lane.microseconds).toFixed(1)
const times = (value) => (value === undefined ? '' : `${value.toFixed(2)}×`)

function spread(all) {
  return (
    all && `${times(median(all))} (${Math.min(...all).toFixed(2)} … ${Math.max(...all).toFixed(2)})`
  )
}

function kilo({ userKilo, kernelKilo }) {
  return userKilo && `${median(userKilo).toFixed(1)} + ${median(kernelKilo).toFixed(1)}`
}

/** One workload: every candidate beside the floor, and Blazon beside every candidate. */
function candidatesTable(session, workload) {
  const laneOf = (candidate) => session.lanes[`${candidate}/${workload}`]
  const rows = candidatesOf(session).map((candidate) => {
    const lane = laneOf(candidate)
    const blazon = candidate === 'blazon' ? undefined : laneOf('blazon')
    return [
      CANDIDATES[candidate].title,
      microseconds(lane),
      times(ratio(lane, laneOf('node'), cpu)),
      spread(ratios(blazon, lane, cpu)),
      kilo(lane),
      times(ratio(lane, laneOf('node'), instructions)),
      times(ratio(blazon, lane, instructions)),
      Math.round(median(lane.perSecond)),
      median(lane.p99).toFixed(1),
      `${lane.resident} (${lane.peak})`,
    ]
  })
  const times_ = ['of bare node', 'Blazon is']
  const head = ['', 'µs CPU', ...times_, 'k instructions', ...times_]
  return markdownTable([...head, 'requests/s', 'p99 ms', 'MB (peak)'], rows)
}

/** A lane beside the one it is compared with. */
function besideCells(lane, baseline) {
  return [
    microseconds(lane),
    times(ratio(lane, baseline, cpu)),
    times(ratio(lane, baseline, instructions)),
  ]
}

function cachedTable(session) {
  const rows = candidatesOf(session).map((candidate) => {
    const [plain, cached] = ['plain', 'cached'].map((name) => session.lanes[`${candidate}/${name}`])
    return [CANDIDATES[candidate].title, microseconds(plain), ...besideCells(cached, plain)]
  })
  return markdownTable(['µs CPU', 'plain', 'a hit', 'of the plain', 'by instructions'], rows)
}

export const REFUSALS = ['invalid', 'unauthorized', 'missing']

function refusedTable(session) {
  const rows = candidatesOf(session).map((candidate) => {
    const laneOf = (workload) => session.lanes[`${candidate}/${workload}`]
    const ofPlain = REFUSALS.flatMap((workload) => besideCells(laneOf(workload), laneOf('plain')))
    const [invalid, ...others] = [ofPlain.slice(0, 3), ...ofPlain.slice(3)]
    return [
      CANDIDATES[candidate].title,
      microseconds(laneOf('plain')),
      microseconds(laneOf('full')),
      ...invalid,
      times(ratio(laneOf('invalid'), laneOf('full'), cpu)),
      ...others,
    ]
  })
  const [invalid, ...others] = REFUSALS.map((workload) => [
    WORKLOADS[workload].expected.status,
    'of 200',
    'by instructions',
  ])
  const head = ['µs CPU', '200, plain', '201, full', ...invalid, 'of 201', ...others.flat()]
  return markdownTable(head, rows)
}

function routesTable({ lanes }) {
  const rows = Object.keys(CANDIDATES).flatMap((candidate) =>
    Object.entries(ROUTE_TITLES).flatMap(([route, title]) => {
      const [alone, among] = ['alone', 'among'].map(
        (where) => lanes[`${candidate}/${route}-${where}`],
      )
      if (alone === undefined) return []
      const name = `${CANDIDATES[candidate].title}: ${title}`
      return [[name, microseconds(alone), ...besideCells(among, alone)]]
    }),
  )
  const head = ['µs CPU', 'the only route', 'among 10,000', 'of the only', 'by instructions']
  return markdownTable(head, rows)
}
