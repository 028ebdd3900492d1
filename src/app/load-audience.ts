import type { SchemaConverters } from '../contracts/openapi.js'
import type { RouteModel } from '../contracts/route-model.js'
import type { HeldAudience } from '../pipeline/audience/compile-audience.js'
import type { RouteParts } from '../pipeline/route-parts.js'
import { marksOfRoute } from '../schema/audience/route-marks.js'

/** Loads the modules for fields with an audience (`visibleTo`), but only if a route has such fields. */
export async function loadAudience(
  routes: readonly RouteModel[],
  converters: SchemaConverters,
): Promise<(route: RouteModel) => RouteParts['audience']> {
  const marked = routes
    .map((route) => ({ route, schemas: marksOfRoute(route, converters) }))
    .filter(({ schemas }) => schemas.length > 0)
  if (marked.length === 0) return () => null
  const { compileAudience } = await import('../pipeline/audience/compile-audience.js')
  const { KeptAudiences } = await import('../pipeline/audience/kept-audiences.js')
  const { audienceStages } = await import('../pipeline/audience/audience-stages.js')
  const kept = new KeptAudiences<HeldAudience>()
  const compiled = new Map(
    marked.map(({ route, schemas }) => [
      route,
      audienceStages(compileAudience(route, { schemas, converters, kept })),
    ]),
  )
  return (route) => compiled.get(route) ?? null
}
