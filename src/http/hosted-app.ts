import type { Application } from 'express'

/** As much of an Express application as is not in its types. */
interface Hosted extends Application {
  handle(req: unknown, res: unknown, next: unknown): void
  request: object
  response: object
  settings: Record<string, unknown>
  engines: Record<string, unknown>
}

/** Express notes here whether `trust proxy` is still what it was made with, in all its versions. */
const TRUST_IS_DEFAULT = '@@symbol:trust_proxy_default'

/**
 * An application as it is to requests that a host has mounted it for: settings and engines that it has not set itself are the
 * host's, as those of an application in `host.use` are. There, mounting changes the application; here, one may have several
 * hosts and a server of its own, and to believe on one way in what a proxy says on another would let clients forge it.
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

/** By the application as a host has it: those that stand in its `middlewares`, as that host has them. */
const inner = new WeakMap<object, WeakMap<Application, Application>>()

/** An application that stands in another, as it is to requests of that one's host; itself, where there is none. */
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

/** Both may change at any time, as in Express. */
function inherit(own: Fields, theirs: Fields, isLeft: IsLeft): Fields {
  return new Proxy(own, {
    get(_, name) {
      return Object.hasOwn(own, name) && !isLeft(own, theirs, name) ? own[name] : theirs[name]
    },
  })
}

/** What Express deletes from an application when it is mounted. */
function isLeftToHost(own: Fields, theirs: Fields, name: PropertyKey): boolean {
  return (
    (name === 'trust proxy' || name === 'trust proxy fn') &&
    own[TRUST_IS_DEFAULT] === true &&
    typeof theirs['trust proxy fn'] === 'function'
  )
}
