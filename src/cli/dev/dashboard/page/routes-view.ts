import type { RoutesView } from '../views.js'
import { el, facts, prose, section } from './dom.js'

type Route = RoutesView['routes'][number]

/** The list of all routes, and one of them. */
export function routesView({ routes }: RoutesView, chosen: number | null): HTMLElement {
  const route = chosen === null ? undefined : routes[chosen]
  return el(
    'div',
    { class: route === undefined ? 'split' : 'split open' },
    el(
      'section',
      { class: 'list', 'aria-labelledby': 'routes-title' },
      el('h2', { id: 'routes-title' }, 'Routes'),
      routes.length === 0
        ? el(
            'p',
            { class: 'note' },
            'No route is known: the application has not started, or has no controllers.',
          )
        : routesTable(routes, chosen),
    ),
    route === undefined ? null : routeDetails(route),
  )
}

function routesTable(routes: readonly Route[], chosen: number | null): HTMLElement {
  const names = ['Route', 'Handler', 'Access']
  const rows = routes.map((route, index) => {
    const isChosen = index === chosen
    const link = el(
      'a',
      { href: `#/routes/${index}`, 'aria-current': isChosen ? 'true' : null },
      el('span', { class: 'method' }, route.method),
      ' ',
      route.path,
    )
    return el(
      'tr',
      {},
      el('td', { class: 'target' }, link),
      el('td', { class: 'handler' }, `${route.controller}.${route.handler}`),
      el('td', {}, accessOf(route)),
    )
  })
  const head = el(
    'tr',
    {},
    names.map((name) => el('th', { scope: 'col' }, name)),
  )
  return el('table', { class: 'routes' }, el('thead', {}, head), el('tbody', {}, rows))
}

function accessOf({ isProtected, isAuthOptional }: Route): string {
  return isProtected ? 'protected' : isAuthOptional ? 'optional' : 'public'
}

function routeDetails(route: Route): HTMLElement {
  return el(
    'article',
    { class: 'details', 'aria-labelledby': 'details-title' },
    el(
      'p',
      { class: 'back' },
      el('a', { href: '#/routes', 'aria-keyshortcuts': 'Escape' }, 'All routes'),
    ),
    el(
      'h2',
      { id: 'details-title', tabindex: '-1' },
      el('span', { class: 'method' }, route.method),
      ' ',
      route.path,
    ),
    summaryOf(route),
    route.inputs.length === 0
      ? null
      : section(
          'Input',
          facts(
            route.inputs.map(({ in: part, library, schema }) => [
              `${part} (${library})`,
              el('code', {}, schema),
            ]),
          ),
        ),
    section('Steps, in their order', stepsOf(route)),
    section(
      'Responses',
      facts(
        route.responses.map(({ status, description, headers }) => [
          status,
          [description, headers.length === 0 ? '' : ` Headers: ${headers.join(', ')}.`].join(''),
        ]),
      ),
    ),
    decoratorsOf(route),
  )
}

function summaryOf(route: Route): HTMLElement {
  const { guard, abilities, tenant, rateLimits, cache, body, before, plugins } = route
  return facts([
    ['Handler', `${route.controller}.${route.handler}`],
    ['Access', guard === null ? accessOf(route) : `${accessOf(route)} by ${guard}`],
    ['Abilities', abilities.length === 0 ? null : abilities.join(', ')],
    ['Tenant', tenant === null ? null : tenant.sources.join(', ') || 'set by middlewares'],
    ['Limits', rateLimits.length === 0 ? null : rateLimits.map(limitOf).join('; ')],
    ['Cache', cache === null ? null : `${cache.ttlSeconds} s, key ${cache.key}`],
    ['Body', body === null ? null : `at most ${body.maxBytes} bytes`],
    ['Before it', before.length === 0 ? null : before.map(({ name }) => name).join(', ')],
    ['Plugins', plugins.length === 0 ? null : plugins.map(({ name }) => name).join(', ')],
  ])
}

function limitOf({ name, limit, windowSeconds, by }: Route['rateLimits'][number]): string {
  return `${name}: ${limit} in ${windowSeconds} s by ${by}`
}

function stepsOf({ steps }: Route): HTMLElement {
  return el(
    'ol',
    { class: 'steps' },
    steps.map(({ name, does, sources, isCertain }) =>
      el(
        'li',
        {},
        el('strong', {}, name),
        ' ',
        prose(isCertain ? does : `${does} (if a plugin has it)`),
        sources.map((line) => el('p', {}, el('code', {}, line))),
      ),
    ),
  )
}

function decoratorsOf({ decorators }: Route): HTMLElement | null {
  const placed = decorators.flatMap(({ name, at }) =>
    at === null ? [] : [[name, `${at.file}:${at.line}`] as const],
  )
  return placed.length === 0 ? null : section('Decorators', facts(placed))
}
