import { subscribe, unsubscribe } from 'node:diagnostics_channel'

/** Dependencies of {@link watchDirectCalls}. */
export interface DirectCallsConfig {
  /** Whether the current code runs for a request of the application. */
  readonly isInRequest: () => boolean
  /** Returns the application's line in a stack; `null` if there is none. */
  readonly placeIn: (stack: string) => string | null
  readonly warn: (message: string) => void
}

/** Node's `fetch` publishes its requests here, while the calling function is on the stack. */
const CHANNEL = 'undici:request:create'
const DEPTH = 60

/**
 * Warns once for each place in the application that calls `fetch` directly during a request. Calls by packages and by
 * `inject(Outgoing)` are ignored. No function is patched.
 *
 * @returns a function that ends the watch.
 */
export function watchDirectCalls({ isInRequest, placeIn, warn }: DirectCallsConfig): () => void {
  const known = new Set<string>()
  const notice = (message: unknown) => {
    if (!isInRequest()) return
    const place = placeIn(callerOfFetch())
    if (place === null || known.has(place)) return
    known.add(place)
    const { origin } = (message as { readonly request: { readonly origin: unknown } }).request
    warn(
      `${place} calls ${String(origin)} with fetch. Such a call continues after its request ends, and has no trace; tests and replays cannot provide its response. Use inject(Outgoing) instead; see docs/outgoing.md`,
    )
  }
  subscribe(CHANNEL, notice)
  return () => {
    unsubscribe(CHANNEL, notice)
  }
}

/** Returns a stack that contains only the line that called `fetch`. */
function callerOfFetch(): string {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = DEPTH
  const lines = (new Error().stack ?? '').split('\n')
  Error.stackTraceLimit = stackTraceLimit
  const index = lines.findLastIndex((line) => /^ *at fetch \(node:/.test(line))
  return index < 0 ? '' : `fetch\n${lines[index + 1] ?? ''}`
}
