import type { RouteModel } from '../../contracts/route-model.js'
import { isForErrors } from '../prepare-middlewares.js'
import { routeTable } from '../route-table.js'
import { explainDecorators } from './explain-decorators.js'
import { explainSteps, type ReadApp } from './explain-steps.js'
import type { ExplainResult, RouteExplanation, RouteQuery } from './explanation.js'
import { findRoutes } from './find-routes.js'
import { nameOf } from './name-of.js'

/** An application before it starts, and the folder that paths of files are relative to. */
export interface ExplainedApp extends ReadApp {
  readonly cwd: string
}

/** Finds a route and explains the steps of its requests. Nothing is constructed, and no plugin is set up. */
export function explainQuery(query: RouteQuery, app: ExplainedApp): ExplainResult {
  const { found, candidates } = findRoutes(app.model, query)
  const [route] = found
  if (route !== undefined && found.length === 1)
    return { kind: 'route', route: explainRoute(route, app) }
  return { kind: 'candidates', candidates: routeTable({ ...app.model, routes: candidates }) }
}

/** Explains the steps of a route's requests. */
export function explainRoute(route: RouteModel, app: ExplainedApp): RouteExplanation {
  const [row] = routeTable({ ...app.model, routes: [route] })
  return {
    ...(row as NonNullable<typeof row>),
    // Error middlewares are left out: a request passes them only after it has failed.
    before: app.settings.middlewares
      .filter(({ middleware }) => !isForErrors(middleware))
      .map(({ middleware, name: from }) => ({ name: nameOf(middleware), from })),
    steps: explainSteps(route, app),
    decorators: explainDecorators(route, app.cwd),
  }
}
