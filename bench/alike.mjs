// Every candidate must put the same work on the wire as Blazon: the same body bytes, which `check.mjs` has compared with what is
// expected, and the same headers, but for the differences that are listed here with their reasons.
import assert from 'node:assert/strict'
import { CANDIDATES } from './candidates.mjs'
import { WORKLOADS } from './workloads.mjs'

const LIMITS = [
  'ratelimit',
  'ratelimit-policy',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
]
const OLD_LIMITS = {
  headers: LIMITS,
  why: 'its limiter sends the older headers: three short ones for two long ones',
}
const PARTITION = {
  headers: ['ratelimit-policy'],
  why: 'express-rate-limit adds a partition key to the policy',
}
const NO_VARY = {
  headers: ['vary'],
  why: '@fastify/cors leaves `Vary` out where one origin is fixed',
}

const STORED = {
  headers: ['cache-control'],
  why: 'it does not forbid to store the responses to requests with credentials',
}

/** What may differ, by candidate; nothing for those that are not here. */
export const ALLOWED_DIFFERENCES = {
  fastify: [OLD_LIMITS, NO_VARY, STORED],
  express: [PARTITION, STORED],
  'nest-express': [OLD_LIMITS, STORED],
  'nest-fastify': [OLD_LIMITS, NO_VARY, STORED],
  hono: [
    { headers: ['ratelimit-policy'], why: 'its limiter words the policy as draft 7 did' },
    {
      headers: ['content-security-policy'],
      why: 'it writes a space between the directives of the policy',
    },
    { headers: ['content-type'], why: '`c.json` names no charset' },
    STORED,
  ],
  koa: [OLD_LIMITS, STORED],
  'routing-controllers': [PARTITION, STORED],
}

/**
 * Compares what candidates answered to each workload with what Blazon answered. Throws when it differs in more than is allowed.
 *
 * @param answers `{ candidate, workload, answer }` of each that was asked.
 * @returns by `candidate/workload`, what its headers have other than Blazon's: `['− vary', '+ x-ratelimit-limit']`.
 */
export function checkAlike(answers) {
  const ours = answers.filter(({ candidate }) => candidate === 'blazon')
  const blazon = new Map(ours.map(({ workload, answer }) => [workload, answer]))
  const differences = {}
  for (const { candidate, workload, answer } of answers) {
    if (candidate === 'blazon' || !blazon.has(workload)) continue
    const name = `${candidate}/${workload}`
    // How a framework words a refusal is its own affair; the floor words it as Blazon does.
    if (CANDIDATES[candidate].isFloor) assert.equal(answer.body, blazon.get(workload).body, name)
    else if (WORKLOADS[workload].expected.body === undefined) continue
    differences[name] = differingHeaders(answer.headers, blazon.get(workload).headers)
    checkAllowed(name, differences[name], ALLOWED_DIFFERENCES[candidate] ?? [])
  }
  return differences
}

function checkAllowed(name, differing, allowed) {
  const headers = allowed.flatMap((each) => each.headers)
  const others = differing.filter((text) => !headers.includes(headerIn(text)))
  assert.deepEqual(others, [], `${name} sends other headers than Blazon`)
}

/** The name in one of the texts of `differingHeaders`. */
export function headerIn(text) {
  return text.replace(/^[+−] /, '').split(':')[0]
}

/** Headers whose values change with every answer. */
const CHANGING = ['date', 'ratelimit', 'ratelimit-remaining', 'ratelimit-reset', 'x-request-id']

/** Headers of an answer in the order of their names, without the values that change with every answer. */
function comparable(headers) {
  const entries = Object.entries(headers).map(([name, value]) => [
    name,
    CHANGING.includes(name) ? '…' : value,
  ])
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}

function differingHeaders(headers, blazonHeaders) {
  const [ours, theirs] = [comparable(blazonHeaders), comparable(headers)]
  const names = new Set([...Object.keys(ours), ...Object.keys(theirs)])
  return [...names].sort().flatMap((name) => {
    if (ours[name] === theirs[name]) return []
    if (theirs[name] === undefined) return [`− ${name}`]
    return ours[name] === undefined ? [`+ ${name}`] : [`${name}: ${theirs[name]}`]
  })
}
