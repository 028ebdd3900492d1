import type { ProblemsView, StateView } from '../views.js'
import { count, el, milliseconds, prose, section } from './dom.js'
import { codeBlock, mismatchText } from './request-details.js'

/** How many things may be wrong. */
export function countProblems(
  { warnings, mismatches, suspects }: ProblemsView,
  state: StateView,
): number {
  return warnings.length + mismatches.length + suspects.length + (state.failure === null ? 0 : 1)
}

/** What a failure means for who sends requests now. */
export function failureTitle(failure: StateView['failure']): string {
  return failure?.isServed
    ? 'The last change does not start, and the code before it serves'
    : 'The application does not run'
}

/** Everything that may be wrong with the application. */
export function problemsView(problems: ProblemsView, state: StateView): HTMLElement {
  const { warnings, mismatches, suspects } = problems
  return el(
    'div',
    { class: 'page' },
    el('h2', { id: 'problems-title' }, 'Problems'),
    state.failure === null
      ? null
      : section(
          failureTitle(state.failure),
          el('p', {}, state.failure.title),
          codeBlock(state.failure.details),
        ),
    section(
      'Warnings at boot',
      warnings.length === 0
        ? none()
        : warnings.map(({ code, subject, cause, remedy }) =>
            item(`${subject}`, [cause, remedy], code),
          ),
    ),
    section(
      'Responses that are not as documented',
      mismatches.length === 0 ? none() : mismatches.map(mismatchItem),
    ),
    section(
      'Statements that repeat in one request (N+1)',
      suspects.length === 0 ? none() : suspects.map(suspectItem),
    ),
  )
}

function mismatchItem(each: ProblemsView['mismatches'][number]): HTMLElement {
  const { operation, status, remedy, request, handler } = each
  return el(
    'div',
    { class: 'problem' },
    el('h4', {}, `${operation}, ${status}`),
    el('p', {}, mismatchText(each)),
    el('p', {}, remedy),
    el('p', {}, linkTo(request), `. ${count(each.count, 'response')} of ${handler}.`),
  )
}

function suspectItem(each: ProblemsView['suspects'][number]): HTMLElement {
  const { route, text, places, durationMs, request } = each
  return el(
    'div',
    { class: 'problem' },
    el('h4', {}, route),
    el('p', {}, `${each.count} times, ${milliseconds(durationMs)}. `, linkTo(request)),
    codeBlock(text),
    places.map((place) => el('p', {}, el('code', {}, place))),
  )
}

function none(): HTMLElement {
  return el('p', { class: 'note' }, 'None.')
}

function linkTo(request: number): HTMLElement {
  return el('a', { href: `#/requests/${request}` }, `Request ${request}`)
}

function item(title: string, lines: readonly string[], code: string): HTMLElement {
  return el(
    'div',
    { class: 'problem' },
    el('h4', {}, title, ' ', el('code', {}, code)),
    lines.map((line) => el('p', {}, prose(line))),
  )
}
