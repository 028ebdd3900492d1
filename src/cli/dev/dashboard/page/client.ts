import type {
  ProblemsView,
  ReplayOrder,
  ReplayResult,
  RequestRow,
  RequestView,
  RoutesView,
  SnapshotView,
  StateView,
} from '../views.js'

/** What arrives from the command. */
export interface Events {
  snapshot(view: SnapshotView): void
  request(row: RequestRow): void
  state(view: StateView): void
  problems(view: ProblemsView): void
  routes(): void
  /** The connection is lost; it is tried again, unless the token is wrong. */
  lost(reason: 'gone' | 'token'): void
}

const TOKEN = 'token'
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 5000

/**
 * Takes the token out of the address and keeps it for this tab. Storage of a tab belongs to this origin with its port; a cookie
 * would be sent to every server of this machine.
 */
export function takeToken(): void {
  const [, token] = /^#token=([\w-]+)$/.exec(location.hash) ?? []
  if (token === undefined) return
  sessionStorage.setItem(TOKEN, token)
  history.replaceState(null, '', '#/requests')
}

function headers(): Record<string, string> {
  return { authorization: `Bearer ${sessionStorage.getItem(TOKEN) ?? ''}` }
}

async function read<T>(path: string, init: RequestInit = {}): Promise<T> {
  const response = await fetch(path, { ...init, headers: { ...headers(), ...init.headers } })
  const data = (await response.json()) as unknown
  if (response.ok) return data as T
  throw new Error((data as { readonly message: string }).message)
}

export function readRequest(number: number): Promise<RequestView> {
  return read(`data/requests/${number}`)
}

export function readRoutes(): Promise<RoutesView> {
  return read('data/routes')
}

export function sendReplay(number: number, order: ReplayOrder): Promise<ReplayResult> {
  return read(`data/requests/${number}/replay`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(order),
  })
}

/** Receives events for as long as the page is open. `EventSource` cannot send the token. */
export async function receive(events: Events): Promise<void> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    try {
      const response = await fetch('data/events', { headers: headers() })
      if (response.status === 403) return events.lost('token')
      if (response.ok && response.body !== null) {
        await readStream(response.body, events)
        waitMs = FIRST_WAIT_MS
      }
    } catch {
      // The command has ended, or starts again at the same port.
    }
    events.lost('gone')
    await new Promise((resolve) => setTimeout(resolve, waitMs))
  }
}

async function readStream(body: ReadableStream<Uint8Array>, events: Events): Promise<void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  while (true) {
    const { done, value } = await reader.read()
    if (done) return
    text += decoder.decode(value, { stream: true })
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) dispatch(block, events)
  }
}

function dispatch(block: string, events: Events): void {
  const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? []
  if (name === undefined || data === undefined) return
  const value = JSON.parse(data) as never
  if (name === 'snapshot') events.snapshot(value)
  else if (name === 'request') events.request(value)
  else if (name === 'state') events.state(value)
  else if (name === 'problems') events.problems(value)
  else if (name === 'routes') events.routes()
}
