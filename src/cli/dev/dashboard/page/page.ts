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
/** The request or route that the page has shown last, for the way back. */
let last: Place = { view: 'requests', number: null }
/** Distinguishes the view of now from one that is still being read. */
let visit = 0

/** `#/requests/12` is the view `requests` with the number 12. */
interface Place {
  readonly view: string
  readonly number: number | null
}

function place(): Place {
  const [, view = 'requests', number] = /^#\/(\w+)(?:\/(\d+))?$/.exec(location.hash) ?? []
  return { view, number: number === undefined ? null : Number(number) }
}

async function show(): Promise<void> {
  const { view, number } = place()
  const own = ++visit
  const from = last.view === view ? last.number : null
  // Noted before the view is read, because a reader may go back sooner.
  last = { view, number }
  for (const link of document.querySelectorAll('nav a')) {
    const isCurrent = link.getAttribute('href') === `#/${view}`
    if (isCurrent) link.setAttribute('aria-current', 'page')
    else link.removeAttribute('aria-current')
  }
  try {
    if (view === 'routes') await showRoutes({ number, from, own })
    else if (view === 'problems') main.replaceChildren(problemsView(problems, state))
    else await showRequests({ number, from, own })
  } catch (error) {
    if (own !== visit) return
    const text = error instanceof Error ? error.message : String(error)
    main.replaceChildren(el('p', { class: 'note' }, text))
  }
}

/** What a view shows: the list, or one of its entries. */
interface Shown {
  readonly number: number | null
  /** The entry that was shown before; `null` if none was. */
  readonly from: number | null
  /** The number of the visit. */
  readonly own: number
}

async function showRequests({ number, from, own }: Shown): Promise<void> {
  const view = number === null ? null : await readRequest(number)
  if (own !== visit) return
  if (requests.parentElement !== main) main.replaceChildren(requests)
  requests.classList.toggle('open', view !== null)
  requests.replaceChildren(list.element, ...(view === null ? [] : [requestDetails(view)]))
  list.select(number)
  if (view !== null) focusDetails()
  else if (from !== null) list.focus(from)
}

async function showRoutes({ number, from, own }: Shown): Promise<void> {
  const view = await readRoutes()
  if (own !== visit) return
  main.replaceChildren(routesView(view, number))
  if (number !== null) focusDetails()
  else if (from !== null) main.querySelector<HTMLElement>(`[href="#/routes/${from}"]`)?.focus()
}

/** Escape closes the details, unless it belongs to a dialog, a list that is open, or a text that it clears. */
function closeDetails(event: KeyboardEvent): void {
  const { view, number } = place()
  if (event.key !== 'Escape' || event.isComposing || number === null) return
  const { target } = event
  if (target instanceof HTMLSelectElement || document.querySelector('dialog') !== null) return
  if (target instanceof HTMLInputElement && target.value !== '') return
  location.hash = `#/${view}`
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
addEventListener('keydown', closeDetails)
void show()
void receive(events)
