import type { ProblemsView, StateView } from '../views.js'
import { type Events, readRequest, readRoutes, receive, takeToken } from './client.js'
import { byId, count, el } from './dom.js'
import { countProblems, failureTitle, problemsView } from './problems-view.js'
import { requestDetails } from './request-details.js'
import { RequestList } from './request-list.js'
import { routesView } from './routes-view.js'

const main = byId('content')
const list = new RequestList()
const requests = el('div', { class: 'split' }, list.element)

let state: StateView = { phase: 'starting', failure: null, starts: 0 }
let problems: ProblemsView = { warnings: [], mismatches: [], suspects: [] }
/** The request that the page has shown last, for the way back. */
let lastRequest: number | null = null
/** Distinguishes the view of now from one that is still being read. */
let visit = 0

/** `#/requests/12` is the view `requests` with the number 12. */
function place(): { readonly view: string; readonly number: number | null } {
  const [, view = 'requests', number] = /^#\/(\w+)(?:\/(\d+))?$/.exec(location.hash) ?? []
  return { view, number: number === undefined ? null : Number(number) }
}

async function show(): Promise<void> {
  const { view, number } = place()
  const own = ++visit
  for (const link of document.querySelectorAll('nav a')) {
    const isCurrent = link.getAttribute('href') === `#/${view}`
    if (isCurrent) link.setAttribute('aria-current', 'page')
    else link.removeAttribute('aria-current')
  }
  try {
    if (view === 'routes') await showRoutes(number, own)
    else if (view === 'problems') main.replaceChildren(problemsView(problems, state))
    else await showRequests(number, own)
  } catch (error) {
    if (own !== visit) return
    const text = error instanceof Error ? error.message : String(error)
    main.replaceChildren(el('p', { class: 'note' }, text))
  }
}

async function showRequests(number: number | null, own: number): Promise<void> {
  const from = lastRequest
  // Noted before the request is read, because a reader may go back sooner.
  lastRequest = number
  const view = number === null ? null : await readRequest(number)
  if (own !== visit) return
  if (requests.parentElement !== main) main.replaceChildren(requests)
  requests.classList.toggle('open', view !== null)
  requests.replaceChildren(list.element, ...(view === null ? [] : [requestDetails(view)]))
  list.select(number)
  if (view !== null) focusDetails()
  else if (from !== null) list.focus(from)
}

async function showRoutes(number: number | null, own: number): Promise<void> {
  const view = await readRoutes()
  if (own !== visit) return
  main.replaceChildren(routesView(view, number))
  if (number !== null) focusDetails()
}

/** Keyboards and screen readers go on where the new content begins. */
function focusDetails(): void {
  document.getElementById('details-title')?.focus()
}

function showState([text, tone]: readonly [text: string, tone: string]): void {
  const element = byId('state')
  element.textContent = text
  element.className = tone
}

function showPhase(): void {
  const { phase, starts, failure } = state
  const texts = {
    starting: ['The application starts …', 'warn'],
    serving: [`Serving, ${count(starts, 'start')}`, 'good'],
    failed: [`${failureTitle(failure)}. See Problems.`, 'bad'],
  } as const
  showState(texts[phase])
  const number = countProblems(problems, state)
  const link = document.querySelector('nav a[href="#/problems"]')
  if (link !== null) link.textContent = number === 0 ? 'Problems' : `Problems (${number})`
  if (place().view === 'problems') main.replaceChildren(problemsView(problems, state))
}

const LOST = {
  gone: ['blazon dev does not respond. It may have ended.', 'bad'],
  token: ['This page has no valid token. Open the address that blazon dev has printed.', 'bad'],
} as const

const events: Events = {
  snapshot(view) {
    state = view.state
    problems = view.problems
    list.replace(view.requests, view.limit)
    showPhase()
    list.select(place().number)
  },
  request: (row) => list.add(row),
  state(view) {
    state = view
    showPhase()
  },
  problems(view) {
    problems = view
    showPhase()
  },
  routes() {
    if (place().view === 'routes' && place().number === null) void show()
  },
  lost: (reason) => showState(LOST[reason]),
}

takeToken()
addEventListener('hashchange', () => {
  if (location.hash.startsWith('#token=')) location.reload()
  else void show()
})
void show()
void receive(events)
