import type { RequestRow } from '../views.js'
import { clockTime, el, milliseconds, row, table } from './dom.js'

const HEADINGS = {
  status: 'Status',
  target: 'Request',
  time: 'Time',
  took: 'Took',
  sql: 'SQL',
  tenant: 'Tenant',
  notes: 'Notes',
}

interface Listed {
  readonly element: HTMLElement
  /** The text that the filter searches. */
  readonly text: string
}

/** The list of requests, newest first, with a filter. */
export class RequestList {
  readonly element: HTMLElement
  readonly #body = el('tbody')
  readonly #summary = el('p')
  readonly #filter = el('input', { id: 'filter', type: 'search', autocomplete: 'off' })
  /** The rows, oldest first. */
  #rows: Listed[] = []
  #limit = Number.POSITIVE_INFINITY

  constructor() {
    this.#filter.addEventListener('input', () => this.#apply())
    this.element = el(
      'section',
      { class: 'list', 'aria-labelledby': 'requests-title' },
      el('h2', { id: 'requests-title' }, 'Requests'),
      el('p', { role: 'search' }, el('label', { for: 'filter' }, 'Filter'), ' ', this.#filter),
      this.#summary,
      table(HEADINGS, this.#body),
    )
  }

  /** Replaces all rows. The oldest row comes first. */
  replace(rows: readonly RequestRow[], limit: number): void {
    this.#limit = limit
    this.#rows = []
    this.#body.replaceChildren()
    for (const each of rows) this.#insert(each)
    this.#apply()
  }

  add(request: RequestRow): void {
    this.#insert(request)
    this.#apply()
  }

  #insert(request: RequestRow): void {
    const { method, url, status, tenant, notes } = request
    const text = [method, url, status, tenant, ...notes].join(' ').toLowerCase()
    const element = rowOf(request)
    this.#rows.push({ element, text })
    this.#body.prepend(element)
    if (this.#rows.length > this.#limit) this.#rows.shift()?.element.remove()
  }

  #apply(): void {
    const words = this.#filter.value.toLowerCase().split(/\s+/)
    for (const { element, text } of this.#rows) {
      element.hidden = !words.every((word) => text.includes(word))
    }
    const shown = this.#rows.filter(({ element }) => !element.hidden).length
    const total = this.#rows.length
    const all = `${total} ${total === 1 ? 'request' : 'requests'}`
    const summary = shown === total ? all : `${shown} of ${all}`
    this.#summary.textContent =
      total === 0
        ? 'There are no requests yet. Send one to the application, and it will appear here.'
        : summary
  }
}

function rowOf(request: RequestRow): HTMLElement {
  const { number, startedAt, method, url, durationMs, tenant, statements, notes } = request
  return row({
    status: statusOf(request),
    target: el('a', { href: `#/requests/${number}` }, `${method} ${url}`),
    time: clockTime(startedAt),
    took: milliseconds(durationMs),
    sql: statements === 0 ? '' : String(statements),
    tenant: tenant ?? '',
    notes: notes.map((note) => el('span', { class: 'mark' }, note)),
  })
}

/** Creates the status as colored text, whose meaning is also clear without the color. */
export function statusOf({ status }: RequestRow): HTMLElement {
  const tone = status === null || status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good'
  return el('span', { class: tone }, String(status ?? '—'))
}
