import type { Server } from 'node:http'
import type { AuthGuard } from '../contracts/guard.js'
import type { Request, User } from '../contracts/handler.js'
import type { RunRoute } from '../http/step.js'
import { MemoryAgent } from './memory-agent.js'

/** What is known of a connection. */
export interface ConnectionFacts {
  /** Who is at the other end; `undefined` leaves that to the guard. */
  readonly principal?: User | undefined
  /** Whether its requests only ask who may pass, and call no handler. */
  readonly isProbe?: boolean
}

/**
 * The connections to an application under test. Who acts is a property of the connection, which no request
 * can forge: there is no header to send.
 */
export class Connections {
  readonly #facts: WeakMap<object, ConnectionFacts> = new WeakMap()
  readonly #agents: Set<MemoryAgent> = new Set()
  #isClosed = false

  /** Connections of one kind. */
  open(server: Server, facts: ConnectionFacts): MemoryAgent {
    const agent = new MemoryAgent(server, (socket) => this.#facts.set(socket, facts))
    this.#agents.add(agent)
    if (this.#isClosed) agent.destroy()
    return agent
  }

  /** Cuts all of them, and refuses others. */
  close(): void {
    this.#isClosed = true
    for (const agent of this.#agents) agent.destroy()
  }

  /** Lets principals pass, and sends everybody else to the guard. */
  readonly wrapGuard = (guard: AuthGuard | null): AuthGuard => ({
    canActivate: (req: Request) => {
      const principal = this.#facts.get(req.socket)?.principal
      if (principal === undefined) return guard === null ? false : guard.canActivate(req)
      req.user = principal
      return true
    },
  })

  /** Sends the requests of probes to `probe`. */
  readonly wrapRoute = (run: RunRoute, probe: RunRoute): RunRoute => {
    const facts = this.#facts
    return function runUnderTest(req, res) {
      if (facts.get(req.socket)?.isProbe === true) probe(req, res)
      else run(req, res)
    }
  }
}
