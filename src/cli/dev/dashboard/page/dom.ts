type Child = Node | string | null | readonly Child[]

/** Attributes of an element. `null` and `false` leave one out, `true` is one without a value. */
export type Attributes = Readonly<Record<string, string | number | boolean | null>>

/** Makes an element. Texts are texts: nothing here reads markup. */
export function el<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === false) continue
    element.setAttribute(key, value === true ? '' : String(value))
  }
  append(element, children)
  return element
}

function append(element: Element, children: readonly Child[]): void {
  for (const child of children) {
    if (child === null) continue
    if (typeof child === 'string' || child instanceof Node) element.append(child)
    else append(element, child)
  }
}

/** A button that does something. */
export function button(label: string, onClick: () => void): HTMLButtonElement {
  const made = el('button', { type: 'button' }, label)
  made.addEventListener('click', onClick)
  return made
}

/** A list of names and values. A value of `null` leaves its name out. */
export function facts(rows: readonly (readonly [name: string, value: Child])[]): HTMLElement {
  return el(
    'dl',
    { class: 'facts' },
    rows
      .filter(([, value]) => value !== null)
      .map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value))),
  )
}

/** A section with a heading. */
export function section(title: string, ...children: readonly Child[]): HTMLElement {
  return el('section', {}, el('h3', {}, title), ...children)
}

/** A text whose parts between backticks are code. */
export function prose(text: string): Child[] {
  return text.split('`').map((part, i) => (i % 2 === 0 ? part : el('code', {}, part)))
}

/** The element with an id, which the page has. */
export function byId(id: string): HTMLElement {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`The page has no #${id}.`)
  return found
}

/** Says something short: shown for some seconds, and read by screen readers. */
export function announce(text: string): void {
  const news = byId('news')
  news.textContent = text
  clearTimeout(hiding)
  hiding = setTimeout(() => {
    news.textContent = ''
  }, SHOWN_MS)
}

const SHOWN_MS = 6000
let hiding: ReturnType<typeof setTimeout> | undefined

/** `3`, `12.4 ms`. */
export function milliseconds(value: number): string {
  if (value >= 1000) return `${(value / 1000).toFixed(2)} s`
  return `${value >= 100 ? value.toFixed(0) : value.toFixed(1)} ms`
}

/** `14:03:09`, in the time zone of the browser. */
export function clockTime(at: number): string {
  return new Date(at).toLocaleTimeString('en-GB')
}

/** `1 request`, `2 requests`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
