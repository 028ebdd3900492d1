import type { Application } from 'express'

/** A middleware, an error middleware, or the callback of a parameter. */
// biome-ignore lint/suspicious/noExplicitAny: each kind takes other arguments
export type Handle = (this: unknown, ...args: any[]) => unknown

/**
 * The kinds of functions in a router. Express distinguishes them by their number of parameters, or by the method that
 * added them.
 */
export type HandleKind = 'request' | 'error' | 'parameter'

/**
 * Returns the function to call instead of a handle. {@link wrapLayers} applies the same `WrapHandle` only once
 * to each handle.
 */
export type WrapHandle = (handle: Handle, kind: HandleKind) => Handle

/** The properties of an Express layer that this file uses. They are the same in Express 4 and 5, and in `router`. */
export interface Layer {
  handle: Handle
  readonly name?: string
  /** The path as declared. Some versions do not have this property. */
  readonly rawPath?: unknown
  readonly route?: Route | undefined
}

/** The result of `router.route(path)`. */
export interface Route {
  readonly path: unknown
  readonly stack: Layer[]
  readonly methods: Readonly<Record<string, boolean>>
}

/** The properties of a router that this file uses. */
export interface ExpressRouter {
  readonly stack: Layer[]
  readonly params?: Readonly<Record<string, Handle[]>>
  param?(name: string, callback: Handle): unknown
}

/** The key under which the framework's own middlewares store the handler that they wrap. */
export const kWrappedRouter: unique symbol = Symbol('blazon.wrappedRouter')

/** The name of the function with which Express mounts one application in another. */
export const MOUNTED = 'mounted_app'

/** The wrap functions of each list of layers. They also apply to layers that are added later. */
const wraps = new WeakMap<object, Set<WrapHandle>>()

/** Whether a middleware is an Express application. */
export function isExpressApp(middleware: unknown): middleware is Application {
  if (typeof middleware !== 'function') return false
  const { handle, set } = middleware as { handle?: unknown; set?: unknown }
  return typeof handle === 'function' && typeof set === 'function'
}

/** Returns the router of a middleware that is, contains or calls a router; `undefined` for any other middleware. */
export function routerIn(middleware: unknown): ExpressRouter | undefined {
  if (typeof middleware !== 'function') return undefined
  if (isExpressApp(middleware)) return routerOf(middleware)
  const { [kWrappedRouter]: wrapped, stack } = middleware as {
    [kWrappedRouter]?: unknown
    stack?: unknown
  }
  if (wrapped !== undefined) return routerIn(wrapped)
  return Array.isArray(stack) ? (middleware as unknown as ExpressRouter) : undefined
}

/** Whether a layer was added by `use` without a path. */
export function isAtRoot({ route, ...layer }: Layer): boolean {
  const { slash, regexp } = layer as { slash?: boolean; regexp?: { fast_slash?: boolean } }
  return route === undefined && (slash === true || regexp?.fast_slash === true)
}

/**
 * Returns the router of an application. Express 4 creates the router when it is first used, and the `router` property
 * of its applications throws.
 */
function routerOf(app: Application): ExpressRouter | undefined {
  const older = app as Application & { lazyrouter?: () => void; _router?: ExpressRouter }
  if (typeof older.lazyrouter !== 'function') return app.router as unknown as ExpressRouter
  older.lazyrouter()
  return older._router
}

/**
 * Wraps every handler that a router calls, including the handlers of nested routers and applications, and handlers that
 * are added later. No other objects are changed.
 */
export function wrapLayers(middleware: unknown, wrap: WrapHandle): void {
  const router = routerIn(middleware)
  if (router === undefined || !wrapStack(router.stack, wrap)) return
  wrapParameters(router, wrap)
}

/** Wraps the layers of a list. Returns `false` if they have already been wrapped. */
function wrapStack(stack: Layer[], wrap: WrapHandle): boolean {
  const known = wraps.get(stack) ?? watch(stack)
  if (known.has(wrap)) return false
  known.add(wrap)
  for (const layer of stack) wrapLayer(layer, wrap)
  return true
}

/** Array methods that add layers, with the index of the first argument that is a layer. */
const ADDERS = [
  ['push', 0],
  ['unshift', 0],
  ['splice', 2],
] as const

/**
 * Also wraps layers that are added to the list later. Express adds them with `push`, but a library can use `unshift` or
 * `splice`.
 */
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
  // Some code expects the router itself in this place, so it is not replaced. Instead, all of its handlers are wrapped.
  if (Array.isArray((handle as { stack?: unknown }).stack) || isExpressApp(handle)) return
  // Express never calls a handler with more than four parameters.
  if (handle.length > 4) return
  const found = name === MOUNTED ? findMounted(handle, wrap) : handle
  const wrapper = wrap(found, handle.length === 4 ? 'error' : 'request')
  if (wrapper !== handle) layer.handle = dressed(wrapper, handle)
}

/**
 * Copies the name, the number of parameters and the fields of the handle to the wrapper, for code that inspects them.
 */
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
 * Finds an application that was mounted with `app.use(app)`. Only the mounting function has a reference to this
 * application. For each request, the mounted application first replaces the prototype of the request, so that `req.app`
 * is the mounted application. Then, before it calls a handler, it reads `res.locals`. An accessor on `res.locals` can
 * therefore find the application in `req.app` when the first request arrives.
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

/**
 * Calls `onUse` the next time `res.locals` is read or set. Returns a function that makes `res.locals` a plain property
 * again.
 */
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
