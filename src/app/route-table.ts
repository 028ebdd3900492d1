import type { AppModel, RouteTableEntry } from '../contracts/route-model.js'

/** Returns the routes of the model as rows for people and snapshots. */
export function routeTable({ routes }: AppModel): RouteTableEntry[] {
  return routes.map(
    ({
      method,
      path,
      controller,
      handler,
      isProtected,
      isAuthOptional,
      guards,
      webhook,
      version,
    }) => ({
      method,
      path,
      controller: controller.name,
      handler: String(handler),
      isProtected,
      isAuthOptional,
      // A table of an application that uses neither stays as it is in snapshots.
      ...(guards.length > 0 && { guards }),
      ...(version !== null && { version }),
      ...(webhook !== null && { isSigned: true as const }),
    }),
  )
}
