import type { Application } from 'express'

/** A middleware, an error middleware, or the callback of a parameter. */
// biome-ignore lint/suspicious/noExplicitAny: each kind takes other arguments
export type Handle = (this: unknown, ...args: any[]) => unknown

/** Told apart as Express does: by the number of parameters, or by the place. */
export type HandleKind = 'request' | 'error' | 'parameter'

/** Makes what is called in the place of a handle. The same function is never put around one twice. */
export type WrapHandle = (handle: Handle, kind: HandleKind) => Handle

/** As much of Express' layers as is looked at: the same in Express 4 and 5, and in `router`. */
export interface Layer {
  handle: Handle
  readonly name?: string
  /** The path as written; not in every version. */
  readonly rawPath?: unknown
  readonly route?: Route | undefined
}

/** What `router.route(path)` makes. */
export interface Route {
  readonly path: unknown
  readonly stack: Layer[]
  readonly methods: Readonly<Record<string, boolean>>
}

/** As much of a router as is looked at. */
export interface ExpressRouter {
  readonly stack: Layer[]
  readonly params?: Readonly<Record<string, Handle[]>>
  param?(name: string, callback: Handle): unknown
}

/** On a middleware of the framework's: what stands behind it. */
export const kBehind: unique symbol = Symbol('blazon.behind')

/** What Express calls the function by which one application stands in another. */
export const MOUNTED = 'mounted_app'

/** By the list that they stand in: what is put around the layers of it, those included that are added later. */
const wraps = new WeakMap<object, Set<WrapHandle>>()

/** Whether a middleware is an Express application. */
export function isExpressApp(middleware: unknown): middleware is Application {
  if (typeof middleware !== 'function') return false
  const { handle, set } = middleware as { handle?: unknown; set?: unknown }
  return typeof handle === 'function' && typeof set === 'function'
}

/** The router that a middleware is, has or stands before; `undefined` where it can be seen to be none of these. */
export function routerIn(middleware: unknown): ExpressRouter | undefined {
  if (typeof middleware !== 'function') return undefined
  if (isExpressApp(middleware)) return routerOf(middleware)
  const { [kBehind]: behind, stack } = middleware as { [kBehind]?: unknown; stack?: unknown }
  if (behind !== undefined) return routerIn(behind)
  return Array.isArray(stack) ? (middleware as unknown as ExpressRouter) : undefined
}

/** Whether a layer stands in `use` without a path. */
export function isAtRoot({ route, ...layer }: Layer): boolean {
  const { slash, regexp } = layer as { slash?: boolean; regexp?: { fast_slash?: boolean } }
  return route === undefined && (slash === true || regexp?.fast_slash === true)
}

/** Express 4 makes it when it is first needed, and its `router` throws. */
function routerOf(app: Application): ExpressRouter | undefined {
  const older = app as Application & { lazyrouter?: () => void; _router?: ExpressRouter }
  if (typeof older.lazyrouter !== 'function') return app.router as unknown as ExpressRouter
  older.lazyrouter()
  return older._router
}

/**
 * Wraps everything that a router calls, in routers and applications within it too, and whatever is added to any of them later.
 * Nothing but these objects themselves is changed.
 */
export function wrapLayers(middleware: unknown, wrap: WrapHandle): void {
  const router = routerIn(middleware)
  if (router === undefined || !wrapStack(router.stack, wrap)) return
  wrapParameters(router, wrap)
}

/** Answers whether it was to be done. */
function wrapStack(stack: Layer[], wrap: WrapHandle): boolean {
  const known = wraps.get(stack) ?? watch(stack)
  if (known.has(wrap)) return false
  known.add(wrap)
  for (const layer of stack) wrapLayer(layer, wrap)
  return true
}

/** Methods that add to a list, and which of their arguments is the first that they add. */
const ADDERS = [
  ['push', 0],
  ['unshift', 0],
  ['splice', 2],
] as const

/** Express adds layers by `push`; who needs one in front writes `unshift`, and who replaces one, `splice`. */
function watch(stack: Layer[]): Set<WrapHandle> {
  const known = new Set<WrapHandle>()
  wraps.set(stack, known)
  for (const [name, first] of ADDERS) {
    const add = stack[name] as (...values: unknown[]) => unknown
    const value = (...values: unknown[]) => {
      const layers = values.slice(first) as Layer[]
      for (const wrap of known) for (const layer of layers) wrapLayer(layer, wrap)
      return add.apply(stack, values)
    }
    Object.defineProperty(stack, name, { value, writable: true, configurable: true })
  }
  return known
}

function wrapLayer(layer: Layer, wrap: WrapHandle): void {
  const { handle, route, name } = layer
  if (Array.isArray(route?.stack)) return void wrapStack(route.stack, wrap)
  wrapLayers(handle, wrap)
  // A router stays what others look for; all that it calls is wrapped.
  if (Array.isArray((handle as { stack?: unknown }).stack) || isExpressApp(handle)) return
  // Express calls nothing that has more.
  if (handle.length > 4) return
  const found = name === MOUNTED ? findMounted(handle, wrap) : handle
  const wrapper = wrap(found, handle.length === 4 ? 'error' : 'request')
  if (wrapper !== handle) layer.handle = dressed(wrapper, handle)
}

/** Whoever looks at a handle finds the name, the arity and the fields that it had. */
function dressed(wrapper: Handle, handle: Handle): Handle {
  for (const name of ['name', 'length'] as const) {
    Object.defineProperty(wrapper, name, { value: handle[name], configurable: true })
  }
  return Object.setPrototypeOf(wrapper, handle)
}

function wrapParameters(router: ExpressRouter, wrap: WrapHandle): void {
  for (const callbacks of Object.values(router.params ?? {})) {
    for (const [index, callback] of callbacks.entries()) {
      callbacks[index] = wrap(callback, 'parameter')
    }
  }
  const { param } = router
  if (param === undefined) return
  const value = function (this: unknown, name: string, callback: Handle) {
    const isCallback = typeof callback === 'function'
    return param.call(router, name, isCallback ? wrap(callback, 'parameter') : callback)
  }
  Object.defineProperty(router, 'param', { value, writable: true, configurable: true })
}

interface Message {
  app?: unknown
  locals?: unknown
}

/**
 * The application that is mounted is known to nobody but the function that calls it. On the way of the first request it
 * is seen at the moment when it looks for `res.locals`, the first that it does after `req.app` is itself and before it calls anything.
 */
function findMounted(mounted: Handle, wrap: WrapHandle): Handle {
  let isFound = false
  return function runMounted(this: unknown, req: Message, res: Message, next: unknown) {
    if (isFound) return mounted.call(this, req, res, next)
    const outer = req.app
    const restore = watchLocals(res, () => {
      isFound = isExpressApp(req.app) && req.app !== outer
      if (isFound) wrapLayers(req.app, wrap)
    })
    try {
      return mounted.call(this, req, res, next)
    } finally {
      restore()
    }
  }
}

/** Calls back when `res.locals` is next read or set. Answers with what makes it a field again. */
function watchLocals(res: Message, onUse: () => void): () => void {
  const { locals } = res
  let isWatched = true
  const restore = (value: unknown = locals) => {
    if (!isWatched) return
    isWatched = false
    Object.defineProperty(res, 'locals', {
      value,
      writable: true,
      configurable: true,
      enumerable: true,
    })
    onUse()
  }
  Object.defineProperty(res, 'locals', {
    configurable: true,
    enumerable: true,
    get: () => {
      restore()
      return locals
    },
    set: restore,
  })
  return () => restore()
}
