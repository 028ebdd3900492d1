import type { IncomingMessage, Server } from 'node:http'
import type { AuthGuard } from '../contracts/guard.js'
import type { Request, User } from '../contracts/handler.js'
import type { RunRoute, Step } from '../step/step.js'
import { isThenable } from '../step/thenable.js'
import { MemoryAgent } from './memory-agent.js'

/** What is known of a connection. */
export interface ConnectionFacts {
  /** Who is at the other end; `undefined` leaves that to the guard. */
  readonly principal?: User | undefined
  /** Whether `principal` is set before the application sees a request, as a middleware would, and not only where a guard is asked. */
  readonly isSetEarly?: boolean
  /** Whether its requests only ask who may pass, and call no handler. */
  readonly isProbe?: boolean
  /** As whom its requests are known to whoever has opened it. */
  readonly name?: string
  /** What its requests wait for at a place; `undefined` when they may go on. */
  readonly pause?: (place: PausePlace) => Promise<void> | undefined
}

/** Before the application sees a request, before the handler, before the answer. */
export type PausePlace = 'entry' | 'handler' | 'answer'

/** By the server's end of a connection, which is of one application. */
const factsOf = new WeakMap<object, ConnectionFacts>()

/** What a request waits for before a handler that is no route's; `undefined` when it may go on. */
export function pauseBeforeHandler({ socket }: Request): Promise<void> | undefined {
  return factsOf.get(socket)?.pause?.('handler')
}

/**
 * The connections to an application under test. Who acts is a property of the connection, which no request
 * can forge: there is no header to send.
 */
export class Connections {
  readonly #agents: Set<MemoryAgent> = new Set()
  #isClosed = false

  /** Connections of one kind. */
  open(server: Server, facts: ConnectionFacts): MemoryAgent {
    const agent = new MemoryAgent(server, (socket) => factsOf.set(socket, facts))
    this.#agents.add(agent)
    if (this.#isClosed) agent.refuse()
    return agent
  }

  /** Opens no other ones; what is under way goes on. */
  readonly refuse = (): void => {
    this.#isClosed = true
    for (const agent of this.#agents) agent.refuse()
  }

  /** Closes the client's end of those that the application has closed, whether or not anybody looks at it. */
  readonly disconnect = (): void => {
    for (const agent of this.#agents) agent.disconnect()
  }

  /** As whom requests of a connection are known. */
  readonly nameOf = (socket: object | undefined): string | undefined =>
    socket === undefined ? undefined : factsOf.get(socket)?.name

  /** Lets a request in, at once or when its connection says so. */
  enter(req: IncomingMessage, run: () => void): void {
    const facts = factsOf.get(req.socket)
    if (facts?.isSetEarly === true) Object.assign(req, { user: facts.principal })
    const pause = facts?.pause?.('entry')
    if (pause === undefined) run()
    else void pause.then(run)
  }

  /** Lets principals pass, and sends everybody else to the guard. */
  readonly wrapGuard = (guard: AuthGuard | null): AuthGuard => ({
    canActivate: (req: Request) => {
      const { principal, isSetEarly = false } = factsOf.get(req.socket) ?? {}
      if (principal === undefined) return guard === null ? false : guard.canActivate(req)
      // What middlewares have made of it since stays.
      if (!isSetEarly || req.user === undefined) req.user = principal
      return true
    },
  })

  /** Sends the requests of probes to a route of their own, which is compiled for the first of them. */
  readonly wrapRoute = (run: RunRoute, compileProbe: () => RunRoute): RunRoute => {
    let probe: RunRoute | undefined
    return function runUnderTest(req, res) {
      if (factsOf.get(req.socket)?.isProbe !== true) return run(req, res)
      probe ??= compileProbe()
      probe(req, res)
    }
  }

  /** Keeps requests before their handler, and answers behind it, for as long as their connection says. */
  readonly wrapHandler = (next: Step): Step => {
    return function handleUnderTest(req, res) {
      const pause = factsOf.get(req.socket)?.pause
      if (pause === undefined) return next(req, res)
      const hold = (settled: unknown) => pause('answer')?.then(() => settled) ?? settled
      const before = pause('handler')
      const value = before === undefined ? next(req, res) : before.then(() => next(req, res))
      return isThenable(value) ? Promise.resolve(value).then(hold) : hold(value)
    }
  }
}
