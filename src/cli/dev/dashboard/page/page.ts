import type {
  RequestView,
  RoutesView,
  StateView,
  SuspectView,
  TimelineEntry,
  WorkView,
} from '../views.js'
import { type Events, read, receive, takeToken } from './client.js'
import {
  button,
  byId,
  clockTime,
  codeBlock,
  details,
  el,
  facts,
  milliseconds,
  prose,
  row,
  section,
  table,
} from './dom.js'
import { RequestList, statusOf } from './request-list.js'
import { workDetails, workList } from './work-view.js'

const main = byId('content')
const requests = new RequestList()

/** A location in the page: `#/requests/12` is the view `requests` with the entry 12. */
interface Place {
  readonly view: string
  readonly number: string | undefined
}

/** The last location that the user opened. Its entry gets the focus when the user returns to the list. */
let last: Place = { view: 'requests', number: undefined }
/** A counter that distinguishes the current view from a view that is still loading. */
let visit = 0

function place(): Place {
  const [, view = 'requests', number] = /^#\/(\w+)(?:\/([\w%.~-]+))?$/.exec(location.hash) ?? []
  return { view, number }
}

async function show(): Promise<void> {
  const { view, number } = place()
  const own = ++visit
  const from = last.view === view ? last.number : undefined
  // The location is stored before the view is loaded, because the user may go back while it is loading.
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
  // Moves the focus to the new content, or back to the list entry from which the user came.
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

/** Marks the links to a location as current. */
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
  token: 'This page has no valid token. Open the address that blazon dev printed.',
}

const events: Events = {
  snapshot(view) {
    requests.replace(view.requests, view.limit)
    mark('main td a', location.hash, 'true')
    events.state(view.state)
  },
  request: (row) => requests.add(row),
  state({ phase, failure }: StateView) {
    if (phase === 'starting') showState('The application is starting …', 'warn')
    else if (failure === null) showState('The application is running.', 'good')
    else showState(`${failure} The terminal shows the reason.`, 'bad')
    // The routes may have changed.
    if (phase === 'serving' && location.hash === '#/routes') void show()
  },
  lost: (reason) => showState(LOST[reason], 'bad'),
}

takeToken()
addEventListener('hashchange', () => {
  if (location.hash.startsWith('#token=')) location.reload()
  // The skip link moves within the page, and does not change the view.
  else if (location.hash !== '#content') void show()
})
void show()
void receive(events)

type Route = RoutesView[number]

const HEADINGS = { target: 'Route', handler: 'Handler', access: 'Access' }

function routeList(routes: RoutesView): HTMLElement {
  const rows = routes.map((route, index) =>
    row({
      target: el('a', { href: `#/routes/${index}` }, `${route.method} ${route.path}`),
      handler: `${route.controller}.${route.handler}`,
      access: accessOf(route),
    }),
  )
  const none = 'There are no routes: the application has not started, or has no controllers.'
  return el(
    'section',
    { class: 'list', 'aria-labelledby': 'routes-title' },
    el('h2', { id: 'routes-title' }, 'Routes'),
    rows.length === 0 ? el('p', {}, none) : table(HEADINGS, el('tbody', {}, rows)),
  )
}

/** Returns the access to a route, as `blazon routes` prints it. */
function accessOf({ isProtected, isAuthOptional, isSigned }: Route): string {
  if (isSigned) return isProtected ? 'signature, protected' : 'signature'
  return isProtected ? 'protected' : isAuthOptional ? 'optional' : 'public'
}

function routeDetails(route: Route): HTMLElement {
  const { method, path, controller, handler, before, steps, decorators } = route
  return details(
    'routes',
    `${method} ${path}`,
    facts([
      ['Handler', `${controller}.${handler}`],
      ['Access', accessOf(route)],
      ['Before the route', before.map(({ name }) => name).join(', ')],
    ]),
    section('Steps, in order', el('ol', {}, steps.map(stepOf))),
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
    prose(isCertain ? does : `possibly: ${does}`),
    sources.map((line) => el('p', {}, el('code', {}, line))),
  )
}

/** The shortest duration that is shown, in milliseconds. A shorter duration would be rounded to 0. */
const SHORTEST_MS = 0.05

function requestDetails(view: RequestView): HTMLElement {
  const { record, row, curl, replay, mismatches, suspects } = view
  return details(
    'requests',
    [statusOf(row), ` ${record.method} ${record.url}`],
    summaryOf(view),
    replay === null ? null : failureNote(replay),
    mismatches.map(mismatchNote),
    suspects.map(suspectNote),
    section('Timeline', timeline(view)),
    sentOf(view),
    section('As curl', codeBlock(curl), copyButton(curl)),
  )
}

function summaryOf({ record, route }: RequestView) {
  const { route: found, answeredBy, cause, tenant, user, durationMs, startedAt, id } = record
  const name = found === null ? 'none' : `${found.method} ${found.path}`
  const step = answeredBy === null || answeredBy === cause ? '' : `, in the step ${answeredBy}`
  return facts([
    ['Route', route === null ? name : el('a', { href: `#/routes/${route}` }, name)],
    ['Handler', found?.name ?? null],
    ['Answered by', `${cause}${step}`],
    ['Tenant', tenant],
    ['User', user],
    ['Took', milliseconds(durationMs)],
    ['Began', clockTime(startedAt)],
    ['Request id', id],
  ])
}

/** Creates a highlighted note. */
function note(title: string, text: string, code: string | null): HTMLElement {
  const paragraph = el('p', {}, el('strong', {}, `${title}. `), text)
  return el('div', { class: 'remark' }, paragraph, code === null ? null : codeBlock(code))
}

function failureNote(replay: string): HTMLElement {
  const text = 'The first command runs the request again; the second writes a test.'
  return note('The server failed', text, `${replay}\n${replay} --write`)
}

function mismatchNote(mismatch: RequestView['mismatches'][number]): HTMLElement {
  const { kind, path, expected, got, remedy } = mismatch
  const place = path === '' ? kind : `${kind} ${path}`
  const what = expected === null ? ' is not documented;' : `: expected ${expected},`
  return note('Not as documented', `${place}${what} got ${got}. ${remedy}`, null)
}

function suspectNote({ text, count, places, durationMs }: SuspectView): HTMLElement {
  const times = `The same statement ran ${count} times, in ${milliseconds(durationMs)}.`
  return note('Possible N+1 problem', [times, ...places].join(' '), text)
}

function timeline({ timeline: entries, record }: RequestView): HTMLElement {
  const ends = entries.map(({ at, durationMs }) => at + (durationMs ?? 0))
  // The bars show parts of this total. It must not be 0, because times are divided by it.
  const total = Math.max(record.durationMs, ...ends) || 1
  return el(
    'ol',
    { class: 'timeline' },
    entries.map((entry) => entryOf(entry, total)),
  )
}

function entryOf(entry: TimelineEntry, total: number): HTMLElement {
  const { at, durationMs, kind, title, details, code, tone } = entry
  const took = (durationMs ?? 0) < SHORTEST_MS ? '' : ` ${milliseconds(durationMs ?? 0)}`
  const bar = el('span', { class: 'bar', 'aria-hidden': 'true' })
  // The content security policy forbids `style` attributes, but allows this call.
  bar.style.setProperty('--from', String(at / total))
  bar.style.setProperty('--part', String((durationMs ?? 0) / total))
  return el(
    'li',
    { class: `${kind} ${tone}` },
    el('span', { class: 'at' }, milliseconds(at)),
    el('span', { class: 'kind' }, kind),
    el(
      'div',
      { class: 'what' },
      el('strong', {}, title),
      took,
      details.map((line) => el('p', {}, line)),
      code === null ? null : codeBlock(code),
    ),
    bar,
  )
}

function sentOf({ sent: { headers, body, base64, omitted } }: RequestView) {
  return section(
    'Sent by the client',
    facts(headers),
    body === null ? null : codeBlock(body),
    base64 === undefined ? null : el('p', {}, 'The body is not text.'),
    omitted === null ? null : el('p', {}, omitted),
  )
}

/** Creates a copy button. If the browser does not allow copying, the user can select the text beside the button. */
function copyButton(text: string): HTMLElement {
  const news = el('span', { role: 'status' })
  const made = button('Copy', () =>
    navigator.clipboard.writeText(text).then(
      () => news.replaceChildren(' Copied.'),
      () => news.replaceChildren(' The browser does not allow copying: select the text.'),
    ),
  )
  return el('p', {}, made, news)
}
