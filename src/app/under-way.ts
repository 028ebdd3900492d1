import type { ServerResponse } from 'node:http'

/** So many are kept before those that are over are looked for. */
const SWEEP_FROM = 64

/**
 * Requests that no listening server counts, so that closing can wait for them. Nothing listens to a response before
 * closing: a listener would take `res.json` off its quick way.
 */
export class UnderWay {
  readonly #responses = new Set<ServerResponse>()
  #sweepAt = SWEEP_FROM

  /** Counts a request until it is answered or cut. */
  add(res: ServerResponse): void {
    this.#responses.add(res)
    if (this.#responses.size >= this.#sweepAt) this.#sweep()
  }

  /** Stops counting a request: it is somebody else's now. */
  remove(res: ServerResponse): void {
    this.#responses.delete(res)
  }

  /** Waits until no request is under way, and cuts what is left after `graceSeconds`. */
  async drain(graceSeconds: number): Promise<void> {
    this.#sweep()
    const ends = [...this.#responses].map((res) => ended(res))
    if (ends.length === 0) return
    let force: NodeJS.Timeout | undefined
    const cut = new Promise<void>((resolve) => {
      // Not the application's clock: a stopped one must not keep a process from ending.
      force = setTimeout(() => {
        for (const res of this.#responses) res.destroy()
        resolve()
      }, graceSeconds * 1000)
    })
    await Promise.race([Promise.all(ends), cut])
    clearTimeout(force)
  }

  /** Twice as many as are left may come before the next time, so that each is looked at twice on average. */
  #sweep(): void {
    for (const res of this.#responses) if (isOver(res)) this.#responses.delete(res)
    this.#sweepAt = Math.max(SWEEP_FROM, 2 * this.#responses.size)
  }
}

function isOver({ writableFinished, destroyed }: ServerResponse): boolean {
  return writableFinished || destroyed
}

/** Whoever stands in for Node, on serverless platforms for one, may emit only one of the two. */
function ended(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    res.once('finish', resolve).once('close', resolve)
  })
}
