import type { RequestView, SuspectView, TimelineEntry } from '../views.js'
import { button, clockTime, codeBlock, details, el, facts, milliseconds, section } from './dom.js'
import { statusOf } from './request-list.js'

/** A shorter time would be shown as 0. */
const SHORTEST_MS = 0.05

/** Everything about one request. */
export function requestDetails(view: RequestView): HTMLElement {
  const { record, row, curl, replay, mismatches, suspects } = view
  return details(
    'requests',
    [statusOf(row), ` ${record.method} ${record.url}`],
    summaryOf(view),
    replay === null ? null : failureNote(replay),
    mismatches.map(mismatchNote),
    suspects.map(suspectNote),
    section('Time line', timeline(view)),
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

/** A remark that stands out. */
function note(title: string, text: string, code: string | null): HTMLElement {
  const paragraph = el('p', {}, el('strong', {}, `${title}. `), text)
  return el('div', { class: 'remark' }, paragraph, code === null ? null : codeBlock(code))
}

function failureNote(replay: string): HTMLElement {
  const text = 'The first command runs the request again, the second makes a test of it.'
  return note('The server has failed', text, `${replay}\n${replay} --write`)
}

function mismatchNote(mismatch: RequestView['mismatches'][number]): HTMLElement {
  const { kind, path, expected, got, remedy } = mismatch
  const place = path === '' ? kind : `${kind} ${path}`
  const what = expected === null ? ' is not documented;' : `: expected ${expected},`
  return note('Not as documented', `${place}${what} got ${got}. ${remedy}`, null)
}

function suspectNote({ text, count, places, durationMs }: SuspectView): HTMLElement {
  const times = `The same statement ran ${count} times, in ${milliseconds(durationMs)}.`
  return note('Perhaps N+1', [times, ...places].join(' '), text)
}

function timeline({ timeline: entries, record }: RequestView): HTMLElement {
  const ends = entries.map(({ at, durationMs }) => at + (durationMs ?? 0))
  // A request without any time has no bars.
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
  // The policy refuses styles in the markup, and allows this interface.
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

/** Where a browser does not allow it, the text beside the button can be copied. */
function copyButton(text: string): HTMLElement {
  const news = el('span', { role: 'status' })
  const made = button('Copy', () =>
    navigator.clipboard.writeText(text).then(
      () => news.replaceChildren(' Copied.'),
      () => news.replaceChildren(' The browser does not allow it: select the text.'),
    ),
  )
  return el('p', {}, made, news)
}
