// Sessions as Markdown.
import { CANDIDATES } from '../../candidates.mjs'
import { ROUTE_TITLES } from '../../routes.mjs'
import { markdownTable } from '../../tables.mjs'
import { WORKLOADS } from '../../workloads.mjs'
import { CPU, candidatesOf, INSTRUCTIONS, ratio, ratios } from './lanes.mjs'

const TABLES = { cached: cachedTable, refused: refusedTable, routes: routesTable }

/** The table of a session on one Node. */
export function sessionTable(name, session) {
  const table = TABLES[name] ?? candidatesTable
  return table(session, name)
}

const microseconds = (lane) => lane.microseconds.median.toFixed(1)
const times = (value) => (value === undefined ? '' : `${value.toFixed(2)}×`)

function spread(all) {
  return all && `${times(all.median)} (${all.least.toFixed(2)} … ${all.greatest.toFixed(2)})`
}

function kilo({ userKilo, kernelKilo }) {
  const kernel = kernelKilo === undefined ? '' : ` + ${kernelKilo.toFixed(1)}`
  return userKilo && `${userKilo.toFixed(1)}${kernel}`
}

/** One workload: every candidate beside the floor, and Blazon beside every candidate. */
function candidatesTable(session, workload) {
  const nameOf = (candidate) => `${candidate}/${workload}`
  const rows = candidatesOf(session).map((candidate) => {
    const lane = session.lanes[nameOf(candidate)]
    const ofNode = [nameOf(candidate), nameOf('node')]
    const blazon = [nameOf('blazon'), nameOf(candidate)]
    const isOther = candidate !== 'blazon'
    return [
      CANDIDATES[candidate].title,
      microseconds(lane),
      times(ratio(session, ofNode, CPU)),
      isOther ? spread(ratios(session, blazon, CPU)) : '',
      kilo(lane),
      times(ratio(session, ofNode, INSTRUCTIONS)),
      isOther ? times(ratio(session, blazon, INSTRUCTIONS)) : '',
      Math.round(lane.perSecond),
      lane.p99.toFixed(1),
      `${lane.resident} (${lane.peak})`,
    ]
  })
  const times_ = ['of bare node', 'Blazon is']
  const head = ['', 'µs CPU', ...times_, 'k instructions', ...times_]
  return markdownTable([...head, 'requests/s', 'p99 ms', 'MB (peak)'], rows)
}

/** A lane beside the one it is compared with. */
function besideCells(session, name, baseline) {
  return [
    microseconds(session.lanes[name]),
    times(ratio(session, [name, baseline], CPU)),
    times(ratio(session, [name, baseline], INSTRUCTIONS)),
  ]
}

function cachedTable(session) {
  const rows = candidatesOf(session).map((candidate) => {
    const [plain, cached] = ['plain', 'cached'].map((name) => `${candidate}/${name}`)
    const cells = besideCells(session, cached, plain)
    return [CANDIDATES[candidate].title, microseconds(session.lanes[plain]), ...cells]
  })
  return markdownTable(['µs CPU', 'plain', 'a hit', 'of the plain', 'by instructions'], rows)
}

export const REFUSALS = ['invalid', 'unauthorized', 'missing']

function refusedTable(session) {
  const rows = candidatesOf(session).map((candidate) => {
    const nameOf = (workload) => `${candidate}/${workload}`
    const cells = (workload) => besideCells(session, nameOf(workload), nameOf('plain'))
    const ofPlain = REFUSALS.flatMap(cells)
    const [invalid, ...others] = [ofPlain.slice(0, 3), ...ofPlain.slice(3)]
    return [
      CANDIDATES[candidate].title,
      microseconds(session.lanes[nameOf('plain')]),
      microseconds(session.lanes[nameOf('full')]),
      ...invalid,
      times(ratio(session, [nameOf('invalid'), nameOf('full')], CPU)),
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

function routesTable(session) {
  const rows = Object.keys(CANDIDATES).flatMap((candidate) =>
    Object.entries(ROUTE_TITLES).flatMap(([route, title]) => {
      const [alone, among] = ['alone', 'among'].map((where) => `${candidate}/${route}-${where}`)
      if (session.lanes[alone] === undefined) return []
      const name = `${CANDIDATES[candidate].title}: ${title}`
      return [[name, microseconds(session.lanes[alone]), ...besideCells(session, among, alone)]]
    }),
  )
  const head = ['µs CPU', 'the only route', 'among 10,000', 'of the only', 'by instructions']
  return markdownTable(head, rows)
}
