import type { RequestView, RoutesView, StateView, WorkView } from '../views.js'
import { type Events, read, receive, takeToken } from './client.js'
import { byId, details, el, facts, prose, row, section, table } from './dom.js'
import { requestDetails } from './request-details.js'
import { RequestList } from './request-list.js'
import { workDetails, workList } from './work-view.js'

const main = byId('content')
const requests = new RequestList()

/** `#/requests/12` is the view `requests` with the entry 12. */
interface Place {
  readonly view: string
  readonly number: string | undefined
}

/** The place that the page has shown last, for the way back. */
let last: Place = { view: 'requests', number: undefined }
/** Distinguishes the view of now from one that is still being read. */
let visit = 0

function place(): Place {
  const [, view = 'requests', number] = /^#\/(\w+)(?:\/([\w%.~-]+))?$/.exec(location.hash) ?? []
  return { view, number }
}

async function show(): Promise<void> {
  const { view, number } = place()
  const own = ++visit
  const from = last.view === view ? last.number : undefined
  // Noted before the view is read, because a reader may go back sooner.
  last = { view, number }
  mark('nav a', `#/${view}`, 'page')
  try {
    const shown = await (VIEWS[view] ?? requestsOf)(number)
    if (own !== visit) return
    main.className = shown.length > 1 ? 'open' : ''
    main.replaceChildren(...shown)
  } catch (error) {
    if (own === visit) main.replaceChildren(el('p', { class: 'alone' }, (error as Error).message))
  }
  mark('main td a', location.hash, 'true')
  // Keyboards and screen readers go on where the new content begins, or where they have left the list.
  const back = from === undefined ? null : `[href="#/${view}/${from}"]`
  const target = number === undefined ? back : '#details-title'
  if (target !== null) main.querySelector<HTMLElement>(target)?.focus()
}

async function requestsOf(number: string | undefined): Promise<HTMLElement[]> {
  if (number === undefined) return [requests.element]
  const view = await read<RequestView>(`data/requests/${number}`)
  return [requests.element, requestDetails(view)]
}

async function routesOf(number: string | undefined): Promise<HTMLElement[]> {
  const routes = await read<RoutesView>('data/routes')
  const route = routes[Number(number)]
  return [routeList(routes), ...(route === undefined ? [] : [routeDetails(route)])]
}

async function workOf(id: string | undefined): Promise<HTMLElement[]> {
  const lists = await read<WorkView>('data/work')
  const found = id === undefined ? null : workDetails(lists, decodeURIComponent(id), show)
  return [workList(lists, show), ...(found === null ? [] : [found])]
}

const VIEWS: Readonly<Record<string, (entry: string | undefined) => Promise<HTMLElement[]>>> = {
  routes: routesOf,
  work: workOf,
}

/** Marks the links to a place as the current ones. */
function mark(links: string, href: string, value: string): void {
  for (const link of document.querySelectorAll(links)) {
    if (link.getAttribute('href') === href) link.setAttribute('aria-current', value)
    else link.removeAttribute('aria-current')
  }
}

function showState(text: string, tone: string): void {
  const element = byId('state')
  element.textContent = text
  element.className = tone
}

const LOST = {
  gone: 'blazon dev does not respond. It may have ended.',
  token: 'This page has no valid token. Open the address that blazon dev has printed.',
}

const events: Events = {
  snapshot(view) {
    requests.replace(view.requests, view.limit)
    mark('main td a', location.hash, 'true')
    events.state(view.state)
  },
  request: (row) => requests.add(row),
  state({ phase, failure }: StateView) {
    if (phase === 'starting') showState('The application starts …', 'warn')
    else if (failure === null) showState('The application serves.', 'good')
    else showState(`${failure} The terminal shows why.`, 'bad')
    // The routes may be others now.
    if (phase === 'serving' && location.hash === '#/routes') void show()
  },
  lost: (reason) => showState(LOST[reason], 'bad'),
}

takeToken()
addEventListener('hashchange', () => {
  if (location.hash.startsWith('#token=')) location.reload()
  // The link that skips the head leads to another part of the page.
  else if (location.hash !== '#content') void show()
})
void show()
void receive(events)

type Route = RoutesView[number]

const HEADINGS = { target: 'Route', handler: 'Handler', access: 'Access' }

/** The list of all routes. */
function routeList(routes: RoutesView): HTMLElement {
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
function routeDetails(route: Route): HTMLElement {
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
