import type { Application } from 'express'
import type { RequestHandler } from '../contracts/handler.js'

/**
 * Mounts an application as Express's `app.use(app)` does: the prototypes of a request are restored when the mounted
 * application passes the request on.
 */
export function runExpressApp(app: Application): RequestHandler {
  return function mountedApp(req, res, next) {
    const [reqPrototype, resPrototype] = [Object.getPrototypeOf(req), Object.getPrototypeOf(res)]
    innerApp(app, req.app)(req, res, (error?: unknown) => {
      Object.setPrototypeOf(req, reqPrototype)
      Object.setPrototypeOf(res, resPrototype)
      next(error)
    })
  }
}

/** The properties of an Express application that are missing from Express's types. */
interface Hosted extends Application {
  handle(req: unknown, res: unknown, next: unknown): void
  request: object
  response: object
  settings: Record<string, unknown>
  engines: Record<string, unknown>
}

/** In this setting, all versions of Express store whether `trust proxy` still has its default value. */
const TRUST_IS_DEFAULT = '@@symbol:trust_proxy_default'

/**
 * Returns the application for requests that arrive through a host. Settings and engines that the application does not
 * set itself come from the host, as for an application in `host.use`. Express changes an application when it is
 * mounted. A Blazon application must not be changed, because it can have several hosts and its own server. If it
 * trusted the proxy of one host for other requests, clients could forge their addresses.
 */
export function hostedApp(app: Application, host: Application): Application {
  const [own, theirs] = [app as Hosted, host as Hosted]
  const hosted = ((req, res, next) => (hosted as Hosted).handle(req, res, next)) as Application
  Object.setPrototypeOf(hosted, app)
  inner.set(hosted, new WeakMap())
  return Object.assign(hosted, {
    parent: host,
    cache: Object.create(null),
    settings: inherit(own.settings, theirs.settings, isLeftToHost),
    engines: inherit(own.engines, theirs.engines, () => false),
  })
}

/** The applications inside a hosted application, each prepared for requests from its host. */
const inner = new WeakMap<object, WeakMap<Application, Application>>()

/**
 * Returns an application that is mounted in `outer`, prepared for requests from the host of `outer`. If `outer` has no
 * host, returns the application itself.
 */
export function innerApp(app: Application, outer: Application): Application {
  const known = inner.get(outer)
  if (known === undefined) return app
  const hosted = known.get(app) ?? hostedInner(app as Hosted, outer)
  known.set(app, hosted)
  return hosted
}

function hostedInner(app: Hosted, outer: Application): Application {
  const hosted = hostedApp(app, outer)
  const own = { app: { value: hosted, writable: true, enumerable: true, configurable: true } }
  return Object.assign(hosted, {
    request: Object.create(app.request, own),
    response: Object.create(app.response, own),
  })
}

type Fields = Record<PropertyKey, unknown>
type IsLeft = (own: Fields, theirs: Fields, name: PropertyKey) => boolean

/** Inherits fields by live lookup, because the fields of both applications can change at any time, as in Express. */
function inherit(own: Fields, theirs: Fields, isLeft: IsLeft): Fields {
  return new Proxy(own, {
    get(_, name) {
      return Object.hasOwn(own, name) && !isLeft(own, theirs, name) ? own[name] : theirs[name]
    },
  })
}

/** Whether Express would delete this setting from an application when it is mounted. */
function isLeftToHost(own: Fields, theirs: Fields, name: PropertyKey): boolean {
  return (
    (name === 'trust proxy' || name === 'trust proxy fn') &&
    own[TRUST_IS_DEFAULT] === true &&
    typeof theirs['trust proxy fn'] === 'function'
  )
}
