type Child = Node | string | null | readonly Child[]

/** Attributes of an element. An attribute that is `null` is omitted. */
export type Attributes = Readonly<Record<string, string | null>>

/** Creates an element. Strings are never parsed as markup. */
export function el<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null) element.setAttribute(key, value)
  }
  append(element, children)
  return element
}

function append(element: Element, children: readonly Child[]): void {
  for (const child of children) {
    if (typeof child === 'string' || child instanceof Node) element.append(child)
    else if (child !== null) append(element, child)
  }
}

/** Creates a table. The keys of `headings` are the names of the cells. */
export function table(headings: Readonly<Record<string, string>>, body: HTMLElement): HTMLElement {
  const cells = Object.entries(headings).map(([name, heading]) =>
    el('th', { scope: 'col', class: name }, heading),
  )
  return el('table', {}, el('thead', {}, el('tr', {}, cells)), body)
}

/** Creates a table row from its cells, by column name. */
export function row(cells: Readonly<Record<string, Child>>): HTMLElement {
  return el(
    'tr',
    {},
    Object.entries(cells).map(([name, child]) => el('td', { class: name }, child)),
  )
}

/** Creates a list of names and values. Names whose value is `null` or empty are omitted. */
export function facts(rows: readonly (readonly [name: string, value: Child])[]): Child {
  const shown = rows.filter(([, value]) => value !== null && value !== '')
  if (shown.length === 0) return null
  return el(
    'dl',
    {},
    shown.map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value))),
  )
}

/** Creates a section with a heading; `null` if it has no content. */
export function section(title: string, ...children: readonly Child[]): HTMLElement | null {
  if (children.every((child) => child === null)) return null
  return el('section', {}, el('h3', {}, title), children)
}

/** Creates the view of one list entry, with a link back to the list. */
export function details(list: string, title: Child, ...children: readonly Child[]): HTMLElement {
  return el(
    'article',
    { class: 'details', 'aria-labelledby': 'details-title' },
    el('p', {}, el('a', { href: `#/${list}` }, `All ${list}`)),
    el('h2', { id: 'details-title', tabindex: '-1' }, title),
    children,
  )
}

/** Creates a button that calls a function. */
export function button(text: string, act: () => unknown): HTMLElement {
  const made = el('button', { type: 'button' }, text)
  made.addEventListener('click', () => void act())
  return made
}

/** Creates a code block with wrapped lines. It does not scroll, so it needs no keyboard focus. */
export function codeBlock(code: string): HTMLElement {
  return el('pre', {}, el('code', {}, code))
}

/** Splits a string into text and code. The parts between backticks are code. */
export function prose(text: string): Child[] {
  return text.split('`').map((part, i) => (i % 2 === 0 ? part : el('code', {}, part)))
}

/** Returns the element with an ID, which must exist in the page. */
export function byId(id: string): HTMLElement {
  return document.getElementById(id) as HTMLElement
}

/** Formats a duration, such as `3.0 ms` or `12.40 s`. */
export function milliseconds(value: number): string {
  return value >= 1000 ? `${(value / 1000).toFixed(2)} s` : `${value.toFixed(1)} ms`
}

/** Formats a time, such as `14:03:09`, in the browser's time zone. */
export function clockTime(at: number): string {
  return new Date(at).toLocaleTimeString('en-GB')
}
