// Ten thousand routes, and each of the interesting ones alone.
import { envelope, findUser } from './orders.mjs'

/** All routes of the large application; a smoke test makes do with fewer. */
const COUNT = Number(process.env.BENCH_ROUTES ?? 10_000)

/** The routes of a resource, as most have them. */
const SHAPES = [
  { method: 'get', path: '' },
  { method: 'post', path: '' },
  { method: 'get', path: '/:id' },
  { method: 'put', path: '/:id' },
  { method: 'delete', path: '/:id' },
]

const LONG_SEGMENTS = Array.from({ length: 24 }, (_, index) => `segment-number-${index}`)
const PARAMETERS = Array.from({ length: 10 }, (_, index) => `:p${index}`)

function resource(index) {
  return `resource-${String(index).padStart(5, '0')}`
}

/** Routes that are asked for: who may be the worst, and the ones to compare it with. Each is a `GET`. */
const ASKED = {
  first: { title: 'the first declared', path: `/${resource(0)}`, asked: `/${resource(0)}` },
  typical: {
    title: 'one in the middle, with a parameter',
    path: `/${resource(COUNT / SHAPES.length / 2)}/:id`,
    asked: `/${resource(COUNT / SHAPES.length / 2)}/42`,
  },
  longest: {
    title: 'the longest path, of 24 segments',
    path: `/long/${LONG_SEGMENTS.join('/')}`,
    asked: `/long/${LONG_SEGMENTS.join('/')}`,
  },
  parameters: {
    title: 'the one with ten parameters',
    path: `/many/${PARAMETERS.join('/')}`,
    asked: `/many/${PARAMETERS.map((_, index) => `value-${index}`).join('/')}`,
  },
  last: { title: 'the last declared', path: '/zzz/last', asked: '/zzz/last' },
}

/** Every route of the large application, in the order of declaration. */
function allRoutes() {
  const routes = []
  const special = [ASKED.longest, ASKED.parameters, ASKED.last]
  for (let index = 0; routes.length < COUNT - special.length; index++) {
    for (const { method, path } of SHAPES)
      routes.push({ method, path: `/${resource(index)}${path}` })
  }
  routes.length = COUNT - special.length
  return [...routes, ...special.map(({ path }) => ({ method: 'get', path }))]
}

/** The routes of an application named `routes:all`, or after those that are asked for: `routes:last`, `routes:first+last`. */
export function routesOf(app) {
  const names = app.slice('routes:'.length)
  if (names === 'all') return allRoutes()
  return names.split('+').map((name) => ({ method: 'get', path: ASKED[name].path }))
}

/** What every one of them answers. */
export function answerRoute() {
  return envelope(200, 'Found', findUser('42'))
}

/** An application of only the routes that are asked for: together, they show as well as alone that each is answered. */
export const ROUTES_ASKED = `routes:${Object.keys(ASKED).join('+')}`

/** Whether an application is one of these. */
export const isRoutes = (app) => app.startsWith('routes:')

/** The titles of the routes that are asked for, by name. */
export const ROUTE_TITLES = Object.fromEntries(
  Object.entries(ASKED).map(([name, { title }]) => [name, title]),
)

/** Each route that is asked for twice: in an application of its own, and among all. */
export const ROUTE_WORKLOADS = Object.fromEntries(
  Object.entries(ASKED).flatMap(([name, { title, asked }]) =>
    ['alone', 'among'].map((where) => [
      `${name}-${where}`,
      {
        title: `${title}, ${where === 'alone' ? 'alone' : `among ${COUNT}`}`,
        app: where === 'alone' ? `routes:${name}` : 'routes:all',
        request: { method: 'GET', path: asked, headers: {} },
        expected: { status: 200, body: JSON.stringify(answerRoute()) },
      },
    ]),
  ),
)
