import type { ServerResponse } from 'node:http'
import type { Response } from '../contracts/handler.js'
import type { Logger } from '../contracts/logger.js'
import type { BlazonRequest } from '../http/request.js'
import type { NoteCut } from './notify-stream.js'

/** The most names that one log line has. */
const MOST_NAMES = 50

/** Something that has open requests: the connections of a server, or the requests of a host. */
interface Cuttable {
  cut(note: NoteCut): void
}

/** Cuts requests, and logs their methods and routes. */
export class CutRequests {
  readonly #logger: Logger
  #count = 0

  constructor(logger: Logger) {
    this.#logger = logger
  }

  /** How many requests were cut. */
  get count(): number {
    return this.#count
  }

  /** Cuts all requests that are left. The log gets them now, because an `onClose` may close the logger. */
  from(all: readonly Cuttable[]): void {
    const counts = new Map<string, number>()
    const note = (res: ServerResponse) => {
      const name = nameOf((res as Response).req as BlazonRequest)
      counts.set(name, (counts.get(name) ?? 0) + 1)
      this.#count++
    }
    for (const each of all) each.cut(note)
    if (counts.size > 0) this.#log(counts)
  }

  #log(counts: ReadonlyMap<string, number>): void {
    const count = [...counts.values()].reduce((sum, each) => sum + each, 0)
    const cut = Object.fromEntries([...counts].slice(0, MOST_NAMES))
    const message = 'Requests were cut because they did not end before the application closed'
    this.#logger.error({ count, cut }, message)
  }
}

/** The method and the pattern of the route. A path that clients choose would give a name to each request. */
function nameOf({ method, route }: Partial<BlazonRequest>): string {
  const isOurs = route !== undefined && Object.hasOwn(route, 'controller')
  return `${method} ${isOurs ? route.path : '(no route)'}`
}
