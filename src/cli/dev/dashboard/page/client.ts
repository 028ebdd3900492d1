import type { RequestRow, SnapshotView, StateView } from '../views.js'

/** The events that the command sends. */
export interface Events {
  snapshot(view: SnapshotView): void
  request(row: RequestRow): void
  state(view: StateView): void
  /** Runs when the connection is lost. The page reconnects, unless the token is invalid. */
  lost(reason: 'gone' | 'token'): void
}

const TOKEN = 'token'
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 5000

/**
 * Removes the token from the address and stores it for this tab. A tab's storage belongs to this origin, including its
 * port, whereas a cookie would be sent to every server on this machine.
 */
export function takeToken(): void {
  const [, token] = /^#token=([\w-]+)$/.exec(location.hash) ?? []
  if (token === undefined) return
  sessionStorage.setItem(TOKEN, token)
  history.replaceState(null, '', '#/requests')
}

function ask(path: string, method: 'GET' | 'POST' = 'GET'): Promise<Response> {
  const authorization = `Bearer ${sessionStorage.getItem(TOKEN) ?? ''}`
  return fetch(path, { method, headers: { authorization } })
}

/**
 * Requests data from the command.
 *
 * @param method `POST` for a change. Default: `GET`.
 * @throws Error with the command's message.
 */
export async function read<T>(path: string, method?: 'GET' | 'POST'): Promise<T> {
  const response = await ask(path, method)
  const data = (await response.json()) as unknown
  if (response.ok) return data as T
  throw new Error((data as { readonly message: string }).message)
}

/** Receives events while the page is open. `EventSource` cannot be used, because it cannot send the token. */
export async function receive(events: Events): Promise<void> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    try {
      const response = await ask('data/events')
      if (response.status === 403) return events.lost('token')
      if (response.ok && response.body !== null) {
        await readStream(response.body, events)
        waitMs = FIRST_WAIT_MS
      }
    } catch {
      // The command has ended, or is restarting on the same port.
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
  const [, name, data = ''] = /^event: (snapshot|request|state)\ndata: (.*)$/.exec(block) ?? []
  if (name !== undefined) events[name as 'state'](JSON.parse(data))
}
