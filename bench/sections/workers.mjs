// Several workers of `blazon start`: bench/workers.mjs.
import { describeEnvironment } from '../environment.mjs'
import { summarizeLanes } from '../summary.mjs'
import { markdownTable } from '../tables.mjs'

/** Each with the numbers of workers of the commands that run at the same time. */
export const LANES = {
  one: { title: 'one worker', servers: [1] },
  two: { title: 'two workers', servers: [2] },
  apart: { title: 'two processes that know nothing of each other', servers: [1, 1] },
}

const PAIRS = [
  ['two', 'one'],
  ['apart', 'one'],
  ['two', 'apart'],
]

/** What is kept of the rounds: lists of `{ perSecond, loadCpu }`. */
export function keepWorkers(lanes) {
  const columns = Object.entries(lanes).map(([name, list]) => [
    name,
    {
      perSecond: list.map(({ perSecond }) => perSecond),
      loadCpu: list.map(({ loadCpu }) => loadCpu),
    },
  ])
  const fields = { spread: ['perSecond'], middle: ['loadCpu'], pairs: PAIRS }
  return summarizeLanes(Object.fromEntries(columns), fields)
}

function spreadOf(ratio) {
  if (ratio === undefined) return ''
  const [median, least, greatest] = [ratio.median, ratio.least, ratio.greatest].map((value) =>
    value.toFixed(2),
  )
  return `${median}× (${least} to ${greatest})`
}

/** A row for each lane on one Node. */
export function nodeTable({ lanes }) {
  const rows = Object.entries(lanes).map(([name, { perSecond, loadCpu, of = {} }]) => [
    LANES[name].title,
    Math.round(perSecond.median),
    spreadOf(of.one?.perSecond),
    spreadOf(of.apart?.perSecond),
    loadCpu.toFixed(2),
  ])
  const head = ['', 'requests/s', 'of one worker', 'of two apart', 'processors of the load']
  return markdownTable(head, rows)
}

function goalsOf(nodes) {
  const entries = Object.entries(nodes)
  const ratios = (of) => Object.fromEntries(entries.map(([major, { lanes }]) => [major, of(lanes)]))
  return [
    {
      id: 'workers/one',
      what: 'two workers on two cores, of one',
      least: { default: 1.9 },
      unit: '×',
      measured: ratios(({ two }) => two.of.one.perSecond.median),
      note: ratios(({ apart }) => `${apart.of.one.perSecond.median.toFixed(2)} apart`),
    },
  ]
}

export function section({ nodes }) {
  const tables = Object.values(nodes).map(
    ({ node, environment, rounds, seconds, ...measured }) =>
      `### Node ${node}: workers\n\n${nodeTable(measured)}\n\n${rounds} rounds of ${seconds} s. ${describeEnvironment(environment)}`,
  )
  return {
    title: 'Several workers',
    goals: goalsOf(nodes),
    body: `Written by \`npm run bench:workers\`: a handler that works for about two milliseconds, under \`blazon start --workers\`, with 16 connections. The load
generator runs on the same processors. **Two apart** are two processes of one worker each, with a load of their own: the most that the machine can give.

${tables.join('\n\n')}`,
  }
}
