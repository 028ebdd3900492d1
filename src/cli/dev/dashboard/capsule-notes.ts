import { replayCommand } from './capsule-command.js'
import type { ReportedRequest } from './views.js'

/**
 * Prints in the terminal how to run a failed request again. A route that fails many times with errors of one class is
 * printed once, until the code has changed.
 */
export class CapsuleNotes {
  readonly #note: (line: string) => void
  readonly #told = new Set<string>()

  constructor(note: (line: string) => void) {
    this.#note = note
  }

  add({ record: { method, url, route, error, status }, capsule }: ReportedRequest): void {
    if (capsule === null) return
    const target = route === null ? `${method} ${url}` : `${route.method} ${route.path}`
    const failure = `${target} ${error?.name ?? status}`
    if (this.#told.has(failure)) return
    this.#told.add(failure)
    this.#note(`blazon dev: ${target} has failed, run it again: ${replayCommand(capsule)}`)
  }

  /** Prints all failures again, because the application has started with other code. */
  restart(): void {
    this.#told.clear()
  }
}
