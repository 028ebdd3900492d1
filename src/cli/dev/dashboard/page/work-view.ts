import type { WorkView } from '../views.js'
import { read } from './client.js'
import {
  button,
  clockTime,
  codeBlock,
  details,
  el,
  facts,
  milliseconds,
  row,
  section,
  table,
} from './dom.js'

type Item = WorkView[number]['items'][number]

const HEADINGS = { status: 'State', target: 'Work', time: 'Made', tenant: 'Tenant' }

/** Creates the lists of the work of all plugins. */
export function workList(lists: WorkView, again: () => Promise<void>): HTMLElement {
  const none = 'No plugin of the application reports background work. To run jobs, see jobs().'
  return el(
    'section',
    { class: 'list', 'aria-labelledby': 'work-title' },
    el('h2', { id: 'work-title' }, 'Work'),
    el('p', {}, button('Read again', again)),
    lists.length === 0 ? el('p', {}, none) : null,
    lists.map(({ title, items }) => section(title, itemsOf(items))),
  )
}

function itemsOf(items: readonly Item[]): HTMLElement {
  if (items.length === 0) return el('p', {}, 'None yet.')
  const rows = items.map((item) =>
    row({
      status: stateOf(item),
      target: el('a', { href: `#/work/${encodeURIComponent(item.id)}` }, item.name),
      time: clockTime(item.at),
      tenant: item.tenant ?? '',
    }),
  )
  return table(HEADINGS, el('tbody', {}, rows))
}

function stateOf({ state, isFailed }: Item): HTMLElement {
  return el('span', { class: isFailed ? 'bad' : 'plain' }, state)
}

/** Creates the details of an item; `null` if no list contains it. */
export function workDetails(
  lists: WorkView,
  id: string,
  again: () => Promise<void>,
): HTMLElement | null {
  const part = lists.findIndex(({ items }) => items.some((item) => item.id === id))
  const item = lists[part]?.items.find((each) => each.id === id)
  if (item === undefined) return null
  const { name, tenant, at, facts: rest, actions, statements } = item
  const ran =
    statements.length === 0 ? null : el('ol', { class: 'timeline' }, statements.map(ranOf))
  return details(
    'work',
    [stateOf(item), ` ${name}`],
    facts([['Id', id], ['Tenant', tenant], ['Made', clockTime(at)], ...Object.entries(rest)]),
    el(
      'p',
      {},
      actions.map((name) => actionButton(name, { part, id, again })),
    ),
    el('p', { role: 'status' }),
    section('Statements of the last run', ran),
  )
}

interface Place {
  readonly part: number
  readonly id: string
  readonly again: () => Promise<void>
}

/** Performs an action, then shows the updated item and the result. */
function actionButton(name: string, { part, id, again }: Place): HTMLElement {
  return button(name, async () => {
    const path = `data/work/${part}/${name}/${encodeURIComponent(id)}`
    const result = await read<string>(path, 'POST').catch(String)
    await again()
    document.querySelector('.details [role=status]')?.replaceChildren(result)
  })
}

function ranOf(statement: Item['statements'][number]): HTMLElement {
  const { at, system, durationMs, rowCount, tenant, text, place, error } = statement
  const rows = rowCount === null ? '' : `, ${rowCount} ${rowCount === 1 ? 'row' : 'rows'}`
  const lines = [`${tenant === null ? 'no tenant' : `tenant ${tenant}`}${rows}`, place]
  return el(
    'li',
    { class: `statement ${error === null ? 'plain' : 'bad'}` },
    el('span', { class: 'at' }, milliseconds(at)),
    el('span', { class: 'kind' }, system),
    el(
      'div',
      { class: 'what' },
      milliseconds(durationMs),
      lines.map((line) => (line === null ? null : el('p', {}, line))),
      error === null ? null : el('strong', {}, error),
      codeBlock(text),
    ),
  )
}
