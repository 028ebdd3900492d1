import type { SchemaConverters } from '../contracts/openapi.js'
import type { RouteModel } from '../contracts/route-model.js'
import type { RouteParts } from '../pipeline/route-parts.js'
import type { HeldVisibility } from '../pipeline/visibility/compile-visibility.js'
import { marksOfRoute } from '../schema/visibility/route-marks.js'

/** Loads the modules for fields with `visibleTo`, but only if a route has such fields. */
export async function loadVisibility(
  routes: readonly RouteModel[],
  converters: SchemaConverters,
): Promise<(route: RouteModel) => RouteParts['visibility']> {
  const marked = routes
    .map((route) => ({ route, schemas: marksOfRoute(route, converters) }))
    .filter(({ schemas }) => schemas.length > 0)
  if (marked.length === 0) return () => null
  const { compileVisibility } = await import('../pipeline/visibility/compile-visibility.js')
  const { KeptVisibilities } = await import('../pipeline/visibility/kept-visibilities.js')
  const { visibilityStages } = await import('../pipeline/visibility/visibility-stages.js')
  const kept = new KeptVisibilities<HeldVisibility>()
  const compiled = new Map(
    marked.map(({ route, schemas }) => [
      route,
      visibilityStages(compileVisibility(route, { schemas, converters, kept })),
    ]),
  )
  return (route) => compiled.get(route) ?? null
}
