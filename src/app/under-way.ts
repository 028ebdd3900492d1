import type { ServerResponse } from 'node:http'
import { isStreaming, type TellStream } from './tell-stream.js'

/** So many are kept before those that are over are looked for. */
const SWEEP_FROM = 64

/**
 * Requests that came by somebody else's server, so that closing can wait for them. Nothing listens to a response before
 * closing: a listener would take `res.json` off its quick way.
 */
export class UnderWay {
  readonly #responses = new Set<ServerResponse>()
  readonly #tell: TellStream
  #sweepAt = SWEEP_FROM
  #cut: () => void = () => {}

  constructor(tell: TellStream) {
    this.#tell = tell
  }

  /** Counts a request until it is answered or cut. */
  add(res: ServerResponse): void {
    this.#responses.add(res)
    if (this.#responses.size >= this.#sweepAt) this.#forgetEnded()
  }

  /** Stops counting a request: it is somebody else's now. */
  remove(res: ServerResponse): void {
    this.#responses.delete(res)
  }

  /** Tells all that they are to end. */
  sweep(): void {
    this.#forgetEnded()
    for (const res of this.#responses) {
      // One whose head is out cannot say so any more.
      res.shouldKeepAlive = false
      if (isStreaming(res)) this.#tell(res)
    }
  }

  /** Waits until none of those is under way that are now; those that come later are served, and not waited for. */
  async quiet(): Promise<void> {
    this.#forgetEnded()
    const cut = new Promise<void>((resolve) => {
      this.#cut = resolve
    })
    await Promise.race([Promise.all([...this.#responses].map(ended)), cut])
  }

  /** Cuts whatever is left. */
  cut(): void {
    for (const res of this.#responses) res.destroy()
    this.#cut()
  }

  /** Twice as many as are left may come before the next time, so that each is looked at twice on average. */
  #forgetEnded(): void {
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
