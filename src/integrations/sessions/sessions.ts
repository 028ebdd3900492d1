import {
  type AuthGuard,
  Clock,
  InjectionToken,
  type NextFunction,
  type Plugin,
  type Request,
  type Response,
  type User,
} from '../../index.js'
import { type HealthContext, noteOf, orStandIn } from '../../plugin/index.js'
import { sessionContract } from './cross-origin.js'
import { Manager, type SessionManager } from './manager.js'
import { RequestSession } from './request-session.js'
import type { Session } from './session.js'
import { SessionCookie } from './session-cookie.js'
import { resolveOptions, type SessionsOptions, type SessionsSettings } from './sessions-options.js'

/**
 * The sessions of an application: a guard for `auth`, and a plugin. The object can be used as both, or only as a
 * plugin.
 */
export interface Sessions<TInput, TOutput, TUser> extends AuthGuard<TUser>, Plugin {
  contract: typeof sessionContract
  /**
   * Reads the session of a request. It can be called on public and protected routes and in middlewares. If the request
   * has no cookie, the store is not accessed. The response gets `Vary: Cookie` and `Cache-Control: no-store`.
   *
   * @throws HttpError 503 if the store cannot be reached; Error if the plugin is not in the application's `plugins`.
   */
  of(req: Request): Promise<Session<TInput, TOutput>>
  /** The token for the manager of users' sessions: `inject(web.manager).revokeAll(user.id)`. */
  readonly manager: InjectionToken<SessionManager>
}

type NoValues = Readonly<Record<never, never>>

/**
 * Creates sessions whose ID is in a cookie and whose values are in a store. The result is both a guard and a plugin,
 * and several applications can share it. Requests that contain the cookie and may change state are refused with a 403
 * `CROSS_ORIGIN` response, unless a page of the same origin or of `trustedOrigins` has sent them. Other requests that
 * may change state are refused when they write a session, if a page of another origin has sent them.
 *
 * @throws ConfigError at boot if an option is invalid; `E_SESSIONS_MEMORY` in production if the store keeps sessions
 * only in this process, as the default does.
 * @see docs/sessions.md
 * @example
 * export const web = sessions({ store: redisSessions(), schema: z.object({ cart: z.array(z.string()).default([]) }) })
 *
 * new App({ auth: { guard: web }, plugins: [web] })
 */
export function sessions<TInput = NoValues, TOutput = NoValues, TUser = User>(
  options: SessionsOptions<TInput, TOutput, TUser> = {},
): Sessions<TInput, TOutput, TUser> {
  return orStandIn(
    () => create(resolveOptions(options)),
    () => create(resolveOptions({})),
    [options?.store],
  )
}

function create<TInput, TOutput, TUser>(
  settings: SessionsSettings,
): Sessions<TInput, TOutput, TUser> {
  const cookie = new SessionCookie(settings)
  const own = new InjectionToken<Manager>('sessions(): it must also be in `plugins`')
  /** The managers of applications. The key is the application in `req.app`. */
  const managers = new WeakMap<object, Manager>()
  const requests = new WeakMap<object, RequestSession>()
  const sessionOf = (req: Request): RequestSession => {
    const session = requests.get(req)
    if (session !== undefined) return session
    throw new Error('sessions(): the sessions object is not in `plugins`. Add it to this list.')
  }
  const canActivate = (req: Request) => admit(sessionOf(req), { req, findUser: settings.findUser })
  const tenantOf = tenantReader(settings, sessionOf)
  return {
    name: 'sessions',
    credentials: cookie.credentials,
    carries: (req) => cookie.isIn(req),
    security: { type: 'apiKey', in: 'cookie', name: cookie.hostName },
    challenge: `Cookie name="${cookie.hostName}"`,
    contract: sessionContract,
    canActivate,
    ...(tenantOf === null ? {} : { tenantOf }),
    forApplication({ get }) {
      get(own)
      return { canActivate }
    },
    manager: own,
    async of(req) {
      const session = sessionOf(req)
      await session.load()
      // The schema has validated the values, so they have its types.
      return session as unknown as Session<TInput, TOutput>
    },
    providers: [
      { token: own, inject: [Clock], useFactory: (clock: Clock) => new Manager(settings, clock) },
    ],
    ...(settings.store?.check === undefined
      ? {}
      : { health: (app: HealthContext) => app.get(own).checkStore() }),
    keptInProcess: () => (settings.store?.isShared === true ? null : 'sessions'),
    setup({ get, express, logger, usesTenants }) {
      const manager = get(own)
      manager.setup({ get, logger, usesTenants })
      managers.set(express, manager)
    },
    ...protection(managers, requests),
  }
}

/**
 * Creates the middleware that prepares the session of each request. The session is loaded only when code uses it. The
 * middleware, and a step before the guard, refuse requests from other origins that contain the cookie and may change
 * state.
 */
function protection(
  managers: WeakMap<object, Manager>,
  requests: WeakMap<object, RequestSession>,
): Pick<Plugin, 'middlewares' | 'steps'> {
  function begin(req: Request, res: Response, next: NextFunction): void {
    const manager = managers.get(req.app)
    if (manager !== undefined && !requests.has(req)) {
      const session = new RequestSession(manager, req, res)
      requests.set(req, session)
      session.refuseForeign()
    }
    next()
  }
  return {
    middlewares: { first: [begin] },
    steps: () => ({
      // A middleware may have replaced the request's method, such as `POST` with `_method=DELETE`.
      beforeGuard: (next) => (req, res) => {
        requests.get(req)?.refuseForeign()
        return next(req, res)
      },
      onResponse(req) {
        const session = requests.get(req)
        // The headers are set again, because an error response loses them.
        session?.forbidStoring()
        session?.dropUnsavedCookie()
      },
    }),
  }
}

/** Returns the function that finds the tenant of an admitted request; `null` if sessions do not confirm tenants. */
function tenantReader(
  { tenantOfUser, bindTenant }: SessionsSettings,
  sessionOf: (req: Request) => RequestSession,
): ((req: Request) => string | undefined) | null {
  if (tenantOfUser === null)
    return bindTenant ? (req) => sessionOf(req).record?.tenant ?? undefined : null
  return ({ user }) => {
    const tenant = tenantOfUser(user as object)
    return typeof tenant === 'string' && tenant !== '' ? tenant : undefined
  }
}

interface AdmitOptions {
  readonly req: Request
  readonly findUser: ((id: string, req: Request) => unknown) | null
}

async function admit(session: RequestSession, { req, findUser }: AdmitOptions): Promise<boolean> {
  await session.load()
  const text = session.record?.user
  if (text == null) return refuse(req, session.lack)
  const stored: unknown = JSON.parse(text)
  const user = findUser === null ? stored : await findUser(stored as string, req)
  // Looking up the user can take seconds, during which the session may expire.
  if (user === null || user === undefined) return refuse(req, NO_USER)
  if (session.hasEnded) return refuse(req, 'the session has ended in the meantime')
  req.user = user as User
  return true
}

const NO_USER = 'findUser did not find the user of the session'

/** Refuses a request. The client only learns that the user must log in, not the reason. */
function refuse(req: Request, reason: string | null): false {
  if (reason !== null) noteOf(req)?.({ by: 'sessions', verdict: 'refused', reason })
  return false
}
