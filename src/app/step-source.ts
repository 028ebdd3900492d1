import type { RouteSetup } from '../contracts/plugin.js'
import type { RouteModel } from '../contracts/route-model.js'

/** A feature, which adds steps to routes as a plugin does. */
export interface StepSource {
  readonly name: string
  /** Called once for each route. Returns stages by place, or `null` for a route without steps. */
  readonly steps: (route: RouteModel, app: RouteSetup) => object | null | undefined
}
