import type { Request, Response } from '../../contracts/handler.js'
import { callerOf } from '../../http/caller.js'
import { keyIdOf } from '../../http/key-id.js'

/** `'ids'` names each caller; `'kinds'` only whether it has a key, is a user, or is a program without credentials. */
export type CallerNames = 'ids' | 'kinds'

/** How often one caller has called a route, and when last, in milliseconds since 1970. */
export interface CallerCount {
  readonly requests: number
  readonly lastAt: number
}

/** Names of callers with a key or a user. A caller cannot choose its id, so it has one entry. */
const MOST_IDS = 900
/** Names of user agents. A client may send any, so these do not take the places of ids. */
const MOST_AGENTS = 100
const LONGEST = 120

/** The callers of one route: at most 1,000 by name. All others are counted together. */
export class Callers {
  readonly #names: CallerNames
  readonly #ids: Map<string, CallerCount> = new Map()
  readonly #agents: Map<string, CallerCount> = new Map()

  constructor(names: CallerNames) {
    this.#names = names
  }

  /** Counts a request. */
  note(req: Request, res: Response, now: number): void {
    const [kind, id] = nameOf(req, res)
    const isAgent = kind === 'agent'
    const [counts, most] = isAgent ? [this.#agents, MOST_AGENTS] : [this.#ids, MOST_IDS]
    const name = this.#names === 'ids' ? `${kind}:${id}`.slice(0, LONGEST) : kind
    const rest = isAgent ? 'other agents' : 'other'
    const label = counts.has(name) || counts.size < most ? name : rest
    const requests = (counts.get(label)?.requests ?? 0) + 1
    counts.set(label, { requests, lastAt: now })
  }

  /** Lists the callers, by name. */
  list(): readonly (readonly [caller: string, count: CallerCount])[] {
    return [...this.#ids, ...this.#agents]
  }
}

function nameOf(req: Request, res: Response): readonly ['key' | 'user' | 'agent', string] {
  const key = keyIdOf(req)
  if (key !== undefined) return ['key', key]
  const caller = callerOf(req, res)
  if (caller === null) return ['agent', req.headers['user-agent'] ?? 'none']
  // `user.id=s7` is for keys of maps, in which the text and the number 7 differ.
  return ['user', caller?.replace(/^\w*:?user(?:\.\w+)?=[snb]/, '') ?? 'unknown']
}
