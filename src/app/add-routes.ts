import type { FrameworkRoute, Plugin, PluginContext } from '../contracts/plugin.js'
import type { AppModel } from '../contracts/route-model.js'
import type { Problem } from '../errors/config-error.js'
import { checkDocsRoutes } from './check-docs.js'
import { isFatal } from './describe.js'
import { type AppDocument, buildDocsRoutes } from './documents.js'
import { checkPluginRoutes, collectPluginRoutes } from './plugin-routes.js'
import type { Settings } from './settings/settings.js'

/** The input of {@link addRoutes}. */
export interface AddedTo {
  readonly documents: readonly AppDocument[]
  readonly plugins: readonly Plugin[]
  readonly model: AppModel
  readonly app: Pick<PluginContext, 'get'>
  readonly settings: Pick<Settings, 'strict'>
}

/** Routes without a controller, and the problems that they and their documents have. */
export interface AddedRoutes {
  readonly frameworkRoutes: readonly FrameworkRoute[]
  readonly problems: readonly Problem[]
}

/** Lists the routes that no controller declares: the routes of documents, then the routes of plugins. */
export function addRoutes({ documents, plugins, model, app, settings }: AddedTo): AddedRoutes {
  const served = documents.filter(({ isEnabled }) => isEnabled)
  // A document that cannot be made is the first mistake to report, so no page is made of it.
  const ofDocuments = served.flatMap((each) => each.problems)
  const isBroken = ofDocuments.some((problem) => isFatal(problem, settings))
  const pages = isBroken ? [] : buildDocsRoutes(served)
  const added = collectPluginRoutes(plugins, app)
  return {
    frameworkRoutes: [...pages, ...added.map(({ route }) => route)],
    problems: [
      ...ofDocuments,
      ...checkDocsRoutes(model, served),
      ...checkPluginRoutes(added, model, pages),
    ],
  }
}
