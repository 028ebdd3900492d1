// What requests cost: the sessions of bench/sessions.mjs.
import { ALLOWED_DIFFERENCES, headerIn } from '../alike.mjs'
import { CANDIDATES } from '../candidates.mjs'
import { describeEnvironment } from '../environment.mjs'
import { markdownTable } from '../tables.mjs'
import { goalsOf } from './requests/goals.mjs'
import { withCounts } from './requests/lanes.mjs'
import { plotsOf } from './requests/plots.mjs'
import { sessionTable } from './requests/tables.mjs'
import { HOW_TO_READ, SESSION_TEXTS } from './requests/texts.mjs'

/** The section of the page; see report.mjs. */
export function section({ versions, nodes: measured }) {
  const nodes = Object.fromEntries(
    Object.entries(measured).map(([major, node]) => [major, withCounts(node)]),
  )
  const sessions = Object.keys(SESSION_TEXTS).map((name) => sessionBody(name, nodes))
  const parts = [
    HOW_TO_READ,
    `### Differences in headers\n\n${differencesTable(nodes)}`,
    ...sessions.filter(Boolean),
    `### Versions\n\n${versionsText(versions, nodes)}`,
  ]
  return {
    title: 'Requests',
    body: parts.join('\n\n'),
    goals: goalsOf(nodes),
    plots: plotsOf(nodes),
  }
}

function sessionBody(name, nodes) {
  const { title, text } = SESSION_TEXTS[name]
  const tables = Object.values(nodes).flatMap(({ node, sessions }) =>
    sessions[name] === undefined ? [] : [sessionOnNode(name, node, sessions[name])],
  )
  return tables.length > 0 && `### ${title}\n\n${text}\n\n${tables.join('\n\n')}`
}

function sessionOnNode(name, node, session) {
  const { rounds, seconds, environment } = session
  const circumstances = `${rounds} rounds of ${seconds} s. ${describeEnvironment(environment)}`
  return `**Node ${node}.** ${circumstances}\n\n${sessionTable(name, session)}`
}

/** What headers were seen to differ, beside the reason that allows it. */
function differencesTable(nodes) {
  const seen = new Map(Object.keys(ALLOWED_DIFFERENCES).map((name) => [name, new Set()]))
  for (const [name, { headers = [] }] of lanesOf(nodes)) {
    for (const text of headers) seen.get(name.split('/')[0])?.add(text)
  }
  const rows = [...seen].map(([candidate, texts]) => [
    CANDIDATES[candidate].title,
    [...texts].map((text) => `\`${text}\``).join(', '),
    reasonsFor(candidate, texts),
  ])
  return markdownTable(['', 'beside Blazon', 'why'], rows, { textColumns: 3 })
}

function lanesOf(nodes) {
  return Object.values(nodes).flatMap(({ sessions }) =>
    Object.values(sessions).flatMap(({ lanes }) => Object.entries(lanes)),
  )
}

function reasonsFor(candidate, texts) {
  const names = [...texts].map(headerIn)
  return ALLOWED_DIFFERENCES[candidate]
    .filter(({ headers }) => headers.some((header) => names.includes(header)))
    .map(({ why }) => why)
    .join('; ')
}

function versionsText(versions, nodes) {
  const engines = Object.values(nodes).map(({ node, v8 }) => `Node ${node} (V8 ${v8})`)
  const packages = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
  return `${engines.join(', ')}. ${packages.join(', ')}.`
}
