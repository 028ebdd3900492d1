import type { FrameworkRoute } from '../contracts/framework-route.js'
import { buildFinder } from '../routing/build-router.js'
import type { RunRoute } from '../step/step.js'

/** The input of {@link earlyRoutes}. */
export interface EarlyRoutes {
  readonly frameworkRoutes: readonly FrameworkRoute[]
  /** The compiled routes. The routes of `frameworkRoutes` are the last, in the same order. */
  readonly handlers: readonly RunRoute[]
}

/**
 * Returns a function that puts the early routes before everything else that a request passes. Without early routes it
 * returns its argument. Early routes have a router of their own: the router of all routes runs after the middlewares,
 * which may change the URL.
 */
export function earlyRoutes({
  frameworkRoutes,
  handlers,
}: EarlyRoutes): (run: RunRoute) => RunRoute {
  const first = handlers.length - frameworkRoutes.length
  const early = frameworkRoutes.flatMap(({ path, early }, place) =>
    early === true ? [{ index: first + place, method: 'GET' as const, path }] : [],
  )
  if (early.length === 0) return (run) => run
  const find = buildFinder(early)
  return (run) =>
    function runEarly(req, res) {
      const found = find(req.method, req.url)
      if (found === null) return run(req, res)
      req.params = found.params
      ;(handlers[found.index] as RunRoute)(req, res)
    }
}
