import type { RequestView, SuspectView, TimelineEntry } from '../views.js'
import { sendReplay } from './client.js'
import { announce, button, clockTime, count, el, facts, milliseconds, section } from './dom.js'
import { statusOf } from './request-list.js'

/** A shorter time would be shown as 0. */
const SHORTEST_MS = 0.05

/** Everything about one request. */
export function requestDetails(view: RequestView): HTMLElement {
  const { record } = view
  return el(
    'article',
    { class: 'details', 'aria-labelledby': 'details-title' },
    el(
      'p',
      { class: 'back' },
      el('a', { href: '#/requests', 'aria-keyshortcuts': 'Escape' }, 'All requests'),
    ),
    el(
      'h2',
      { id: 'details-title', tabindex: '-1' },
      statusOf(view.row),
      ' ',
      el('span', { class: 'method' }, record.method),
      ' ',
      record.url,
    ),
    actionsOf(view),
    capsuleNote(view),
    summaryOf(view),
    view.mismatches.map((mismatch) =>
      noteOf('Not as documented', [mismatchText(mismatch), mismatch.remedy]),
    ),
    view.suspects.map(suspectNote),
    section('Time line', timeline(view)),
    sentOf(view),
  )
}

function summaryOf({ record, route }: RequestView): HTMLElement {
  const { route: found, answeredBy, cause, tenant, user, durationMs, startedAt, id } = record
  const name = found === null ? 'none' : `${found.method} ${found.path}`
  return facts([
    ['Route', route === null ? name : el('a', { href: `#/routes/${route}` }, name)],
    ['Handler', found?.name ?? null],
    [
      'Answered by',
      answeredBy === null || answeredBy === cause ? cause : `${cause}, in the step ${answeredBy}`,
    ],
    ['Tenant', tenant],
    ['User', user],
    ['Took', milliseconds(durationMs)],
    ['Began', clockTime(startedAt)],
    ['Request id', id],
  ])
}

/** What to do about a failed request. Nothing without a capsule. */
function capsuleNote({ capsule }: RequestView): HTMLElement | null {
  if (capsule === null) return null
  const { id, replay, write } = capsule
  const lines = [
    `Its capsule is ${id}. The first command runs it again, the second makes a test of it.`,
  ]
  const note = noteOf('The server has failed', lines, `${replay}\n${write}`)
  note.append(
    el(
      'div',
      { class: 'actions' },
      button('Copy replay command', () => copy(replay, 'command')),
      button('Copy test command', () => copy(write, 'command')),
    ),
  )
  return note
}

/** A remark that stands out. */
export function noteOf(
  title: string,
  lines: readonly string[],
  code: string | null = null,
): HTMLElement {
  return el(
    'div',
    { class: 'remark' },
    el('p', {}, el('strong', {}, `${title}. `), lines.join(' ')),
    code === null ? null : codeBlock(code),
  )
}

/** `body data.total: expected a number, got "12".` */
export function mismatchText({
  kind,
  path,
  expected,
  got,
}: RequestView['mismatches'][number]): string {
  const place = path === '' ? kind : `${kind} ${path}`
  return expected === null
    ? `${place} is not documented; got ${got}.`
    : `${place}: expected ${expected}, got ${got}.`
}

function suspectNote({ text, count: times, places, durationMs }: SuspectView): HTMLElement {
  const lines = [
    `The same statement ran ${times} times, in ${milliseconds(durationMs)}.`,
    ...places,
  ]
  return noteOf('Perhaps N+1', lines, text)
}

/** Code, in lines that wrap: nothing scrolls, so the keyboard needs no way into it. */
export function codeBlock(code: string): HTMLElement {
  return el('pre', {}, el('code', {}, code))
}

function timeline({ timeline: entries, record }: RequestView): HTMLElement {
  const total = Math.max(
    record.durationMs,
    ...entries.map(({ at, durationMs }) => at + (durationMs ?? 0)),
  )
  return el(
    'ol',
    { class: 'timeline' },
    entries.map((entry) => entryOf(entry, total)),
  )
}

function entryOf(entry: TimelineEntry, total: number): HTMLElement {
  const { at, durationMs, kind, title, details, code, tone } = entry
  const bar = el('span', { class: 'bar' })
  // The policy refuses styles in the markup, and allows this interface.
  bar.style.setProperty('--from', String(total === 0 ? 0 : at / total))
  bar.style.setProperty('--part', String(total === 0 ? 0 : (durationMs ?? 0) / total))
  return el(
    'li',
    { class: `entry ${kind} ${tone}` },
    el('span', { class: 'at' }, milliseconds(at)),
    el('span', { class: 'kind' }, kind),
    el(
      'div',
      { class: 'what' },
      el('strong', {}, title),
      durationMs === null || durationMs < SHORTEST_MS
        ? null
        : el('span', { class: 'took' }, ` ${milliseconds(durationMs)}`),
      details.map((line) => el('p', {}, line)),
      code === null ? null : codeBlock(code),
    ),
    el('div', { class: 'track', 'aria-hidden': 'true' }, bar),
  )
}

function sentOf({ sent: { headers, body, omitted } }: RequestView): HTMLElement {
  return section(
    'Sent by the client',
    facts(headers.map(([name, value]) => [name, value])),
    body === null ? null : codeBlock(body),
    omitted === null ? null : el('p', { class: 'note' }, omitted),
  )
}

function actionsOf(view: RequestView): HTMLElement {
  const { cannotReplay } = view
  const replay = button(`Replay ${view.record.method}`, () => openReplay(view, replay))
  replay.disabled = cannotReplay !== null
  return el(
    'div',
    { class: 'actions' },
    button('Copy as curl', () => copy(view.curl, 'curl')),
    button('Copy as test', () => copy(view.test, 'test')),
    replay,
    cannotReplay === null
      ? null
      : el('span', { class: 'note' }, `Cannot be sent again. ${cannotReplay}`),
  )
}

/** Copies a text. Where the browser does not allow it, shows the text, selected. */
async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    announce(`Copied as ${what}: ${count(text.trimEnd().split('\n').length, 'line')}.`)
  } catch {
    const area = el('textarea', {
      readonly: true,
      rows: 12,
      'aria-label': `The request as ${what}`,
    })
    area.value = text
    const dialog = openDialog('Copy this text', area)
    dialog.showModal()
    area.select()
  }
}

function openDialog(title: string, ...children: readonly Node[]): HTMLDialogElement {
  const dialog = el('dialog', { 'aria-label': title }, el('h2', {}, title), ...children)
  const close = el('form', { method: 'dialog' }, el('button', {}, 'Close'))
  dialog.append(close)
  dialog.addEventListener('close', () => dialog.remove())
  document.body.append(dialog)
  return dialog
}

/** Sends the request again; asks for hidden values first, if there are any. */
function openReplay(view: RequestView, opener: HTMLButtonElement): void {
  const { hidden, row } = view
  if (hidden.length === 0) return void send(row.number, {}, opener)
  const fields = hidden.map(({ key, label }, i) => {
    const input = el('input', { id: `hidden-${i}`, type: 'password', autocomplete: 'off' })
    return { key, input, element: el('p', {}, el('label', { for: `hidden-${i}` }, label), input) }
  })
  const submit = button('Send', () => {
    const filled = fields.filter(({ input }) => input.value !== '')
    const values = Object.fromEntries(filled.map(({ key, input }) => [key, input.value]))
    dialog.close()
    void send(row.number, values, opener)
  })
  const dialog = openDialog(
    'Values that were hidden',
    el(
      'p',
      {},
      'The dashboard keeps no secrets. Enter what the application needs; an empty header is not sent.',
    ),
    ...fields.map(({ element }) => element),
    submit,
  )
  dialog.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && event.target instanceof HTMLInputElement) submit.click()
  })
  dialog.showModal()
}

async function send(
  number: number,
  values: Readonly<Record<string, string>>,
  opener: HTMLButtonElement,
): Promise<void> {
  opener.disabled = true
  try {
    const { status, request } = await sendReplay(number, { values })
    announce(`The application has responded ${status}.`)
    if (request !== null) location.hash = `#/requests/${request}`
  } catch (error) {
    announce(`It was not sent. ${error instanceof Error ? error.message : String(error)}`)
  } finally {
    opener.disabled = false
  }
}
