// What features add to a request: bench/features.mjs.
import { describeEnvironment } from '../environment.mjs'
import { summarize, summarizeLanes } from '../summary.mjs'
import { markdownTable } from '../tables.mjs'

/** Title and goal of each variant; a goal is of added microseconds, or of a ratio. */
export const VARIANTS = {
  plain: { title: 'the plain route' },
  tenant: { title: 'with `tenant`', added: { default: 1, 20: 3.5 } },
  cache: { title: 'a hit of `@Cache` in memory', ratio: { default: 1.1 } },
  limit: { title: 'with `rateLimit` in memory', added: { default: 1 } },
  ids: { title: 'with `requestIds`' },
  logs: { title: 'with `logs`, to `/dev/null`, and request ids' },
  metrics: { title: 'with `metrics`', added: { default: 0.3 } },
  unsampled: { title: 'with `otel()`, not sampled', added: { default: 0.5 } },
  sampled: { title: 'with `otel()`, sampled, no exporter', added: { default: 6 } },
  fetch: { title: 'that calls another server by `fetch`' },
  signal: { title: 'that calls it by `fetch`, with the signal of the request' },
  outgoing: { title: 'that calls it by `Outgoing`' },
}

/** What is kept of the rounds: lists of microseconds by variant. */
export function keepFeatures(microseconds) {
  const plain = microseconds.plain
  const columns = Object.entries(microseconds).map(([name, list]) => [name, { microseconds: list }])
  const pairs = columns.filter(([name]) => name !== 'plain').map(([name]) => [name, 'plain'])
  const lanes = summarizeLanes(Object.fromEntries(columns), {
    spread: ['microseconds'],
    middle: [],
    pairs,
  })
  for (const [name] of pairs) {
    const list = microseconds[name].map((value, round) => value - plain[round])
    lanes[name].added = summarize(list)
  }
  return lanes
}

const signed = (value, digits = 1) => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(digits)}`

const instructionsOf = (counted, name) =>
  counted?.[name] === undefined || name === 'plain' ? undefined : counted[name] - counted.plain

/** A row for each variant on one Node. */
export function nodeTable({ lanes = {}, counted }) {
  const rows = Object.entries(VARIANTS).map(([name, { title }]) => {
    const { microseconds, added, of } = lanes[name] ?? {}
    const more = instructionsOf(counted, name)
    return [
      title,
      microseconds?.median.toFixed(1) ?? '',
      added === undefined ? '' : signed(added.median),
      added === undefined ? '' : `${signed(added.least)} to ${signed(added.greatest)}`,
      of === undefined ? '' : `${of.plain.microseconds.median.toFixed(2)}×`,
      counted?.[name]?.toFixed(1) ?? '',
      more === undefined ? '' : signed(more),
    ]
  })
  const head = ['', 'µs of CPU', 'added µs', 'least to greatest', 'of the plain']
  return markdownTable([...head, 'k instructions', 'added'], rows)
}

function goalsOf(nodes) {
  const measured = (of) =>
    Object.fromEntries(
      Object.entries(nodes)
        .map(([major, node]) => [major, of(node)])
        .filter(([, value]) => value !== undefined),
    )
  const goal = (name, { title, added, ratio }) => ({
    id: `features/${name}`,
    what: ratio ? `${title}, of the plain route` : `a request ${title}, added`,
    most: added ?? ratio,
    unit: ratio ? '×' : 'µs',
    measured: measured(({ lanes }) =>
      ratio ? lanes?.[name]?.of.plain.microseconds.median : lanes?.[name]?.added.median,
    ),
    note: measured(({ counted }) => {
      const more = instructionsOf(counted, name)
      return more === undefined ? undefined : `${signed(more)} k instructions`
    }),
  })
  return Object.entries(VARIANTS)
    .filter(([, { added, ratio }]) => added ?? ratio)
    .map(([name, variant]) => goal(name, variant))
}

function rounds({ rounds, seconds, environment }) {
  return rounds === undefined
    ? 'Only counted.'
    : `${rounds} rounds of ${seconds} s. ${describeEnvironment(environment)}`
}

export function section({ nodes }) {
  const tables = Object.values(nodes).map(
    (measured) =>
      `### Node ${measured.node}: features\n\n${nodeTable(measured)}\n\n${rounds(measured)}`,
  )
  return {
    title: 'What features add to a request',
    goals: goalsOf(nodes),
    body: `Written by \`npm run bench:features\`, and counted by the same command with \`--count\`. \`GET /users/:id\`, enveloped, without helmet; every variant is a process of
its own, all are measured in turn in every round, and send the same body. **added** and **of the plain** are medians, over the rounds, of differences
and ratios within a round. Instructions are counted as those [of requests](#how-to-read-it); two counts of one server differ by up to 3 %, which is
more than the smallest features add.

${tables.join('\n\n')}`,
  }
}
