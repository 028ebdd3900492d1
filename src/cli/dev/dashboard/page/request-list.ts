import type { RequestRow } from '../views.js'
import { announce, button, clockTime, count, el, milliseconds } from './dom.js'

const KINDS = ['all', 'failed', 'suspicious'] as const
type Kind = (typeof KINDS)[number]

const LABELS: Readonly<Record<Kind, string>> = {
  all: 'All',
  failed: 'Status 400 and above',
  suspicious: 'With problems',
}

/** The list of requests, the newest first, with a filter. */
export class RequestList {
  readonly element: HTMLElement
  readonly #body = el('tbody')
  readonly #empty = el('p', { class: 'note' })
  readonly #summary = el('p', { class: 'summary' })
  readonly #filter = el('input', {
    id: 'filter',
    type: 'search',
    autocomplete: 'off',
    spellcheck: 'false',
  })
  readonly #kind = el(
    'select',
    { id: 'kind' },
    KINDS.map((kind) => el('option', { value: kind }, LABELS[kind])),
  )
  readonly #pause: HTMLButtonElement
  readonly #rows = new Map<number, { readonly row: RequestRow; readonly element: HTMLElement }>()
  /** Requests that have arrived while the list stands still; `null` if it does not. */
  #waiting: RequestRow[] | null = null
  #limit = Number.POSITIVE_INFINITY

  constructor() {
    this.#pause = button('Pause', () => this.#togglePause())
    this.#pause.setAttribute('aria-pressed', 'false')
    this.#filter.addEventListener('input', () => this.#apply())
    this.#kind.addEventListener('change', () => this.#apply())
    this.#body.addEventListener('keydown', (event) => this.#move(event))
    const form = el(
      'div',
      { class: 'toolbar', role: 'search', 'aria-label': 'Requests' },
      field('filter', 'Filter', this.#filter),
      field('kind', 'Show', this.#kind),
      this.#pause,
    )
    this.element = el(
      'section',
      { class: 'list', 'aria-labelledby': 'requests-title' },
      el('h2', { id: 'requests-title' }, 'Requests'),
      form,
      this.#summary,
      el('table', { class: 'requests' }, headOf(), this.#body),
      this.#empty,
    )
  }

  /** Replaces all rows. The oldest comes first. */
  replace(rows: readonly RequestRow[], limit: number): void {
    this.#limit = limit
    this.#rows.clear()
    this.#body.replaceChildren()
    if (this.#waiting !== null) this.#waiting = []
    for (const row of rows) this.#insert(row)
    this.#apply()
  }

  add(row: RequestRow): void {
    if (this.#waiting === null) this.#insert(row)
    else this.#waiting.push(row)
    this.#apply()
  }

  /** Marks the request that the page shows. */
  select(number: number | null): void {
    for (const link of this.#body.querySelectorAll('[aria-current]'))
      link.removeAttribute('aria-current')
    if (number !== null) this.#linkOf(number)?.setAttribute('aria-current', 'true')
  }

  /** Puts the focus on a request, or on the filter if the request is not listed. */
  focus(number: number): void {
    const link = this.#rows.get(number)?.element.hidden === false ? this.#linkOf(number) : null
    ;(link ?? this.#filter).focus()
  }

  #linkOf(number: number): HTMLElement | null {
    return this.#rows.get(number)?.element.querySelector('a') ?? null
  }

  #insert(row: RequestRow): void {
    const element = rowOf(row)
    this.#rows.set(row.number, { row, element })
    this.#body.prepend(element)
    const [oldest] = this.#rows
    if (this.#rows.size <= this.#limit || oldest === undefined) return
    oldest[1].element.remove()
    this.#rows.delete(oldest[0])
  }

  #apply(): void {
    const words = this.#filter.value.toLowerCase().split(/\s+/).filter(Boolean)
    const kind = this.#kind.value as Kind
    let shown = 0
    for (const { row, element } of this.#rows.values()) {
      const isShown = isOfKind(row, kind) && words.every((word) => textOf(row).includes(word))
      element.hidden = !isShown
      if (isShown) shown++
    }
    const total = this.#rows.size
    const waiting = this.#waiting?.length ?? 0
    this.#summary.textContent = [
      shown === total ? count(total, 'request') : `${shown} of ${count(total, 'request')}`,
      ...(waiting === 0 ? [] : [`${waiting} more since the pause`]),
    ].join(', ')
    this.#empty.textContent =
      total === 0
        ? 'No request yet. Send one to the application, and it appears here.'
        : 'No request matches the filter.'
    this.#empty.hidden = shown > 0
  }

  #togglePause(): void {
    const waiting = this.#waiting
    this.#waiting = waiting === null ? [] : null
    this.#pause.setAttribute('aria-pressed', String(waiting === null))
    for (const row of waiting ?? []) this.#insert(row)
    this.#apply()
    announce(waiting === null ? 'New requests wait.' : `${count(waiting.length, 'request')} added.`)
  }

  /** Arrow keys go from request to request. */
  #move(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity }[event.key]
    if (step === undefined) return
    const links = [...this.#body.querySelectorAll<HTMLElement>('tr:not([hidden]) a')]
    const at = links.indexOf(document.activeElement as HTMLElement)
    const next = links[Math.max(0, Math.min(links.length - 1, at + step))]
    event.preventDefault()
    next?.focus()
  }
}

function field(id: string, label: string, control: HTMLElement): HTMLElement {
  return el('span', { class: 'field' }, el('label', { for: id }, label), control)
}

function headOf(): HTMLElement {
  const names = ['Status', 'Request', 'Time', 'Took', 'SQL', 'Tenant', 'Notes']
  return el(
    'thead',
    {},
    el(
      'tr',
      {},
      names.map((name) => el('th', { scope: 'col' }, name)),
    ),
  )
}

function rowOf(row: RequestRow): HTMLElement {
  const { number, startedAt, method, url, durationMs, tenant, statementCount } = row
  return el(
    'tr',
    {},
    el('td', {}, statusOf(row)),
    el(
      'td',
      { class: 'target' },
      el('a', { href: `#/requests/${number}` }, el('span', { class: 'method' }, method), ' ', url),
    ),
    el('td', { class: 'time' }, clockTime(startedAt)),
    el('td', { class: 'number' }, milliseconds(durationMs)),
    el('td', { class: 'number' }, statementCount === 0 ? '' : String(statementCount)),
    el('td', { class: 'tenant' }, tenant ?? ''),
    el(
      'td',
      { class: 'notes' },
      notesOf(row).map((note) =>
        el('span', { class: note === row.error ? 'mark error' : 'mark' }, note),
      ),
    ),
  )
}

/** The status as a coloured text, which says the same without its colour. */
export function statusOf({ status, outcome }: RequestRow): HTMLElement {
  const text = outcome === 'sent' || status !== null ? String(status ?? '—') : outcome
  const tone = status === null || status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good'
  return el('span', { class: `status ${tone}` }, text)
}

function notesOf({ error, suspectCount, mismatchCount, outcome }: RequestRow): string[] {
  return [
    ...(error === null ? [] : [error]),
    ...(suspectCount === 0 ? [] : ['N+1?']),
    ...(mismatchCount === 0 ? [] : ['contract']),
    ...(outcome === 'sent' ? [] : [outcome]),
  ]
}

function isOfKind(
  { status, outcome, suspectCount, mismatchCount }: RequestRow,
  kind: Kind,
): boolean {
  if (kind === 'all') return true
  if (kind === 'failed') return outcome !== 'sent' || status === null || status >= 400
  return suspectCount + mismatchCount > 0 || (status ?? 500) >= 500
}

function textOf(row: RequestRow): string {
  const { method, url, status, tenant } = row
  return [method, url, status, tenant, ...notesOf(row)].join(' ').toLowerCase()
}
