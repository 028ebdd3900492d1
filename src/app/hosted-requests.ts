import type { ServerResponse } from 'node:http'
import { isStreaming, type NoteCut, type NotifyStream } from './closing.js'

/** The number of stored responses at which ended responses are removed. */
const SWEEP_FROM = 64

/**
 * Requests that arrived through the server of a host. They are stored so that closing can wait for them. There is no
 * listener on a response before closing, because a listener would disable the fast path of `res.json`.
 */
export class HostedRequests {
  readonly #responses = new Set<ServerResponse>()
  readonly #notifyStream: NotifyStream
  #sweepAt = SWEEP_FROM
  #cut: () => void = () => {}

  constructor(notifyStream: NotifyStream) {
    this.#notifyStream = notifyStream
  }

  /** Counts a request until its response is finished or aborted. */
  add(res: ServerResponse): void {
    this.#responses.add(res)
    if (this.#responses.size >= this.#sweepAt) this.#forgetEnded()
  }

  /** Stops counting a request, because the host handles it again. */
  remove(res: ServerResponse): void {
    this.#responses.delete(res)
  }

  /** Adds `Connection: close` to every pending response. */
  announce(): void {
    this.#forgetEnded()
    // This has no effect if the headers are already sent.
    for (const res of this.#responses) res.shouldKeepAlive = false
  }

  /** Does the same as `announce`, and notifies streams. */
  sweep(): void {
    this.announce()
    for (const res of this.#responses) if (isStreaming(res)) this.#notifyStream(res)
  }

  /** Waits for the requests that are running at the time of the call. Later requests are served, but not awaited. */
  async quiet(): Promise<void> {
    this.#forgetEnded()
    const cut = new Promise<void>((resolve) => {
      this.#cut = resolve
    })
    await Promise.race([Promise.all([...this.#responses].map(ended)), cut])
  }

  /** Aborts the signals of all running requests. */
  abort(): void {
    this.#forgetEnded()
    for (const res of this.#responses) this.#notifyStream(res)
  }

  /**
   * Destroys all remaining responses.
   *
   * @param note Called for each request whose response is destroyed.
   */
  cut(note: NoteCut): void {
    this.#forgetEnded()
    for (const res of this.#responses) {
      note(res)
      res.destroy()
    }
    this.#cut()
  }

  /**
   * Removes ended responses. The next removal happens at twice the number of remaining responses, so each response is
   * visited about twice on average.
   */
  #forgetEnded(): void {
    for (const res of this.#responses) if (isOver(res)) this.#responses.delete(res)
    this.#sweepAt = Math.max(SWEEP_FROM, 2 * this.#responses.size)
  }
}

function isOver({ writableFinished, destroyed }: ServerResponse): boolean {
  return writableFinished || destroyed
}

/**
 * Resolves when a response is finished or closed. Serverless platforms replace Node's response, and some emit only one
 * of the two events.
 */
function ended(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    res.once('finish', resolve).once('close', resolve)
  })
}
