// What each framework is asked, and the row of the table that its responses become.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startServer } from '../candidates.mjs'
import { ask } from '../check.mjs'
import { countPackages, needsNode } from './frameworks.mjs'

const WRONG = { name: '', email: 'no address', age: 3 }
const JSON_BODY = { 'content-type': 'application/json' }

const get = (path) => ({ method: 'GET', path, headers: {} })
const post = (body) => ({
  method: 'POST',
  path: '/users',
  headers: { ...JSON_BODY, 'content-length': Buffer.byteLength(body) },
  body,
})
const yes = (is) => (is ? 'yes' : 'no')

/** Rows in order: what they say, and a function of a framework that returns its cell. */
export const ROWS = [
  ['Invalid fields in the 400 response, of 3', countNamed],
  ['`PUT` to a path that has only `POST`', wrongMethod],
  ['OpenAPI document', version],
  ['The document lists this 400', documents400],
  ['Two handlers for the same URLs', ({ clash }) => startOf(clash)],
  ['A schema for a parameter that the path does not have', ({ mistake }) => startOf(mistake)],
  ['Express middlewares, such as helmet, run without an adapter', runsMiddleware],
  ['CPU time of a request through the full stack¹', cpuTime],
  ['Packages that npm installs', ({ framework }) => countPackages(framework.packages)],
  [
    'Runs without Node, on edge platforms',
    async ({ framework }) => yes(!(await needsNode(framework.core))),
  ],
]

/** Starts a framework's programs, asks, and returns its cells. */
export async function cellsOf(name, { framework, variants }) {
  const servers = {}
  for (const variant of variants) servers[variant] = await start(name, framework, variant)
  try {
    const cells = []
    for (const [, cell] of ROWS) cells.push(String(await cell({ framework, ...servers })))
    return cells
  } finally {
    for (const { stop } of Object.values(servers)) stop?.()
  }
}

/** A running program, or `{ failed }`: `build` or `start`. */
async function start(name, { make }, variant) {
  let file
  try {
    file = await make(variant)
  } catch {
    return { failed: 'build' }
  }
  try {
    return await startServer({ name, file, workload: variant, isPinned: false, isQuiet: true })
  } catch {
    return { failed: 'start' }
  }
}

const startOf = ({ failed }) => (failed === undefined ? 'starts' : `does not ${failed}`)

async function countNamed({ plain }) {
  const { body } = await ask(plain.port, post(JSON.stringify(WRONG)))
  return Object.keys(WRONG).filter((field) => new RegExp(`\\b${field}\\b`).test(body)).length
}

async function wrongMethod({ plain }) {
  const { status, headers } = await ask(plain.port, { ...get('/users'), method: 'PUT' })
  return headers.allow === undefined ? status : `${status}, \`Allow\``
}

async function documentOf({ plain }) {
  return JSON.parse((await ask(plain.port, get(plain.document))).body)
}

async function version(servers) {
  return (await documentOf(servers)).openapi
}

async function documents400(servers) {
  const { paths } = await documentOf(servers)
  const { post: operation } = paths['/users'] ?? paths['/users/']
  return yes(Object.hasOwn(operation.responses, '400'))
}

async function runsMiddleware({ middleware }) {
  if (middleware.failed !== undefined) return 'no'
  const { status, headers } = await ask(middleware.port, get('/users/1'))
  return yes(status === 200 && headers['referrer-policy'] === 'origin')
}

/** As a multiple of Blazon's, from the newest numbers of Node 20. */
function cpuTime({ framework: { lane } }) {
  if (lane === undefined) return 'not measured'
  const file = join(import.meta.dirname, '..', 'results', 'requests.json')
  const { lanes } = JSON.parse(readFileSync(file, 'utf8')).nodes[20].sessions.full
  const cost = (name) => lanes[name].microseconds.median
  return `${(cost(lane) / cost('blazon/full')).toFixed(1)}×`
}
