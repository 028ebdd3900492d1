import type { RoutesView } from '../views.js'
import { details, el, facts, prose, row, section, table } from './dom.js'

type Route = RoutesView[number]

const HEADINGS = { target: 'Route', handler: 'Handler', access: 'Access' }

/** The list of all routes. */
export function routeList(routes: RoutesView): HTMLElement {
  const rows = routes.map((route, index) =>
    row({
      target: el('a', { href: `#/routes/${index}` }, `${route.method} ${route.path}`),
      handler: `${route.controller}.${route.handler}`,
      access: accessOf(route),
    }),
  )
  const none = 'No route is known: the application has not started, or has no controllers.'
  return el(
    'section',
    { class: 'list', 'aria-labelledby': 'routes-title' },
    el('h2', { id: 'routes-title' }, 'Routes'),
    rows.length === 0 ? el('p', {}, none) : table(HEADINGS, el('tbody', {}, rows)),
  )
}

/** As `blazon routes` prints it. */
function accessOf({ isProtected, isAuthOptional, isSigned }: Route): string {
  if (isSigned) return isProtected ? 'signature, protected' : 'signature'
  return isProtected ? 'protected' : isAuthOptional ? 'optional' : 'public'
}

/** The details of a route. */
export function routeDetails(route: Route): HTMLElement {
  const { method, path, controller, handler, before, steps, decorators } = route
  return details(
    'routes',
    `${method} ${path}`,
    facts([
      ['Handler', `${controller}.${handler}`],
      ['Access', accessOf(route)],
      ['Before it', before.map(({ name }) => name).join(', ')],
    ]),
    section('Steps, in their order', el('ol', {}, steps.map(stepOf))),
    section(
      'Decorators',
      facts(decorators.map(({ name, at }) => [name, at && `${at.file}:${at.line}`])),
    ),
  )
}

function stepOf({ name, does, sources, isCertain }: Route['steps'][number]): HTMLElement {
  return el(
    'li',
    {},
    el('strong', {}, name),
    ' ',
    prose(isCertain ? does : `${does} (if a plugin has it)`),
    sources.map((line) => el('p', {}, el('code', {}, line))),
  )
}
