import type { KeptResult } from '../protocol.js'
import type { Channel } from './channel.js'

/**
 * The key on `globalThis` of the function that starts a process which outlives the application's. Code of this package asks
 * for it; only `blazon dev` sets it.
 */
const KEEP = Symbol.for('blazon.keep')

/** Lets the application ask the command for processes that are kept. */
export class Kept {
  readonly #waiting = new Map<number, (result: KeptResult) => void>()
  #lastId = 0

  constructor(channel: Channel) {
    const keep = (module: string, argument: string) =>
      new Promise<KeptResult>((resolve) => {
        const id = ++this.#lastId
        const release = channel.hold()
        this.#waiting.set(id, (result) => {
          release()
          resolve(result)
        })
        channel.send({ kind: 'keep', id, module, argument })
      })
    Object.defineProperty(globalThis, KEEP, { value: keep })
  }

  receive(id: number, result: KeptResult): void {
    this.#waiting.get(id)?.(result)
    this.#waiting.delete(id)
  }
}
