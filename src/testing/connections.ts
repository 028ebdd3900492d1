import type { IncomingMessage, Server } from 'node:http'
import type { CompiledRoutes } from '../app/compile-routes.js'
import type { Listener } from '../app/listener.js'
import type { AuthGuard } from '../contracts/guard.js'
import type { Request, User } from '../contracts/handler.js'
import type { RouteModel } from '../contracts/route-model.js'
import type { StepFactory } from '../contracts/steps.js'
import { scopeOn } from '../features/tenancy/tenant-context.js'
import type { CarriesCredential } from '../http/credentials.js'
import { isThenable, type RunRoute, type Step } from '../step/step.js'
import { MemoryAgent, type OnConnect } from './memory-agent.js'

type TenantOf = NonNullable<AuthGuard['tenantOf']>

/** The facts that the harness stores about a connection. */
export interface ConnectionFacts {
  /** The user of every request on this connection; `undefined` if the guard determines the caller. */
  readonly principal?: User | undefined
  /** The tenant to which the principal's credential belongs. Default: the tenant that its request specifies. */
  readonly tenant?: string | undefined
  /** Receives each tenant that a guard determines from a credential. */
  readonly tenantFound?: (id: string) => void
  /**
   * Whether `principal` is set before the application receives a request, as a middleware would do. Otherwise,
   * `wrapGuard` sets it.
   */
  readonly isSetEarly?: boolean
  /** Whether the requests on this connection only check access and never call a handler. */
  readonly isProbe?: boolean
  /** Whether the requests on this connection belong to a check: rate limits ignore and do not count them. */
  readonly isCheck?: boolean
  /** The function that a probe calls in place of the handler, after access has been granted. */
  readonly inHandler?: (req: Request) => unknown
  /** The name of the tenant or user of this connection in the report of `proveIsolation`. */
  readonly name?: string
  /** Returns the promise for which a request waits at a place; `undefined` if it does not need to wait. */
  readonly pause?: (place: PausePlace) => Promise<void> | undefined
}

/**
 * The places where a request can be held: before the application receives it, before the handler, before the response.
 */
export type PausePlace = 'entry' | 'handler' | 'response'

/** The facts of each connection. The key is the server's end of its socket. */
const factsOf = new WeakMap<object, ConnectionFacts>()

/**
 * Returns the promise for which a request waits before a handler in a router of `middlewares`; `undefined` if it does
 * not need to wait.
 */
export function pauseBeforeHandler({ socket }: Request): Promise<void> | undefined {
  return factsOf.get(socket)?.pause?.('handler')
}

/**
 * The connections to an application under test. The principal is a property of the connection, not a header,
 * so no request can forge it.
 */
export class Connections {
  readonly #agents: Set<MemoryAgent> = new Set()
  readonly #onConnect: OnConnect
  #isClosed = false

  /** @param onConnect Receives the two ends of each connection. */
  constructor(onConnect: OnConnect) {
    this.#onConnect = onConnect
  }

  /** Opens an agent whose connections share these facts. */
  open(server: Server, facts: ConnectionFacts): MemoryAgent {
    const agent = new MemoryAgent(server, (serverEnd, clientEnd) => {
      factsOf.set(serverEnd, facts)
      this.#onConnect(serverEnd, clientEnd)
    })
    this.#agents.add(agent)
    if (this.#isClosed) agent.refuse()
    return agent
  }

  /** Opens an agent for the requests of a check, such as `fuzz`. */
  openCheck(server: Server, facts: ConnectionFacts): MemoryAgent {
    return this.open(server, { ...facts, isCheck: true })
  }

  /** Refuses new connections; running requests continue. */
  readonly refuse = (): void => {
    this.#isClosed = true
    for (const agent of this.#agents) agent.refuse()
  }

  /**
   * Closes the client's end of every connection that the application has closed, even when the client never
   * reads from it.
   */
  readonly disconnect = (): void => {
    for (const agent of this.#agents) agent.disconnect()
  }

  /** Returns the name with which the connection of a socket was opened. */
  readonly nameOf = (socket: object | undefined): string | undefined =>
    socket === undefined ? undefined : factsOf.get(socket)?.name

  /** Wraps the functions that receive requests: each runs in `around`, immediately or after the pause at `entry`. */
  wrapListener(
    listener: Listener,
    around: (req: IncomingMessage, run: () => void) => void,
  ): Listener {
    const { handle, handleForeign } = listener
    const enter = (req: IncomingMessage, run: () => void) =>
      around(req, () => this.#enter(req, run))
    return {
      ...listener,
      handle: (req, res) => enter(req, () => handle(req, res)),
      handleForeign: (req, res, next) => enter(req, () => handleForeign(req, res, next)),
    }
  }

  #enter(req: IncomingMessage, run: () => void): void {
    const facts = factsOf.get(req.socket)
    if (facts?.isSetEarly === true) Object.assign(req, { user: facts.principal })
    const pause = facts?.pause?.('entry')
    if (pause === undefined) run()
    else void pause.then(run)
  }

  /** The functions that change an application under test. */
  get hooks(): Pick<this, 'wrapGuard' | 'wrapCredentials' | 'wrapTenantOf' | 'wrapLimit'> {
    const { wrapGuard, wrapCredentials, wrapTenantOf, wrapLimit } = this
    return { wrapGuard, wrapCredentials, wrapTenantOf, wrapLimit }
  }

  /**
   * Wraps the guard: requests with a principal are allowed, and all other requests are passed to the application's
   * guard.
   */
  readonly wrapGuard = (guard: AuthGuard | null): AuthGuard => ({
    canActivate: (req: Request, route) => {
      const { principal, isSetEarly = false } = factsOf.get(req.socket) ?? {}
      if (principal === undefined) return guard === null ? false : guard.canActivate(req, route)
      // Do not overwrite a `req.user` that was set early and then changed by a middleware.
      if (!isSetEarly || req.user === undefined) req.user = principal
      return true
    },
  })

  /** Wraps a rate limit, because a check would be useless if a rate limit refused its requests. */
  readonly wrapLimit = (limit: StepFactory): StepFactory => {
    return (next) => {
      const limited = limit(next)
      return function limitUnderTest(req, res) {
        return factsOf.get(req.socket)?.isCheck === true ? next(req, res) : limited(req, res)
      }
    }
  }

  /** A principal belongs to the tenant of `asTenant`; without `asTenant`, to the tenant that the request specifies. */
  readonly wrapTenantOf = (tenantOf: TenantOf): TenantOf => {
    return function tenantUnderTest(req) {
      const { principal, tenant, tenantFound } = factsOf.get(req.socket) ?? {}
      if (principal !== undefined) return tenant ?? scopeOn(req)?.id ?? scopeOn(req)?.claim
      const found = tenantOf(req)
      if (typeof found === 'string') tenantFound?.(found)
      return found
    }
  }

  /** A request with a principal counts as a request with credentials, so that `wrapGuard` sets its user. */
  readonly wrapCredentials = (carries: CarriesCredential): CarriesCredential => {
    return function carriesUnderTest(req) {
      // The type contains only the part of the request that applications read.
      const { socket } = req as Request
      return factsOf.get(socket)?.principal !== undefined || carries(req)
    }
  }

  /**
   * Wraps the routes of controllers, so that probe requests run probe routes instead.
   *
   * @param watch Wraps a route for all other requests.
   */
  wrapRoutes(
    routes: CompiledRoutes,
    watch: (run: RunRoute, route: RouteModel) => RunRoute,
  ): CompiledRoutes {
    const wrap = (run: RunRoute, index: number) => {
      const route = routes.model.routes[index]
      // Routes of the framework itself have no model and no guard.
      if (route === undefined) return run
      return this.#wrapRoute(watch(run, route), (handler) => routes.probeOf(route, handler))
    }
    return { ...routes, handlers: routes.handlers.map(wrap) }
  }

  /** The probe route is compiled only when the first probe arrives. */
  readonly #wrapRoute = (run: RunRoute, compileProbe: (handler: Step) => RunRoute): RunRoute => {
    let probe: RunRoute | undefined
    return function runUnderTest(req, res) {
      if (factsOf.get(req.socket)?.isProbe !== true) return run(req, res)
      probe ??= compileProbe((asked) => factsOf.get(asked.socket)?.inHandler?.(asked))
      probe(req, res)
    }
  }

  /**
   * Wraps a handler. Requests wait before the handler, and responses wait after it, until the promise from the
   * connection's `pause` settles.
   */
  readonly wrapHandler = (next: Step): Step => {
    return function handleUnderTest(req, res) {
      const pause = factsOf.get(req.socket)?.pause
      if (pause === undefined) return next(req, res)
      const hold = (settled: unknown) => pause('response')?.then(() => settled) ?? settled
      const before = pause('handler')
      const value = before === undefined ? next(req, res) : before.then(() => next(req, res))
      return isThenable(value) ? Promise.resolve(value).then(hold) : hold(value)
    }
  }
}
