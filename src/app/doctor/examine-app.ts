import type { Problem } from '../../errors/config-error.js'
import { usesTenants } from '../../features/tenancy/tenant-rules.js'
import { addRoutes } from '../add-routes.js'
import { ignoredOverrides } from '../describe.js'
import { allPlugins } from '../features.js'
import type { UnstartedApp } from '../unstarted-app.js'
import { findHiddenRoutes } from './find-hidden-routes.js'
import { checkProduction, type ProductionProblem } from './production-options.js'

/** The parts of an application that the doctor examines. */
export interface ExaminedApp {
  /** Problems of boot, and settings that are unsafe in production. Only codes with `E_` prevent the start. */
  readonly problems: readonly (Problem | ProductionProblem)[]
  readonly usesTenants: boolean
}

/**
 * Examines an application that has not started: nothing is constructed, and no plugin is set up.
 *
 * @throws ConfigError with everything that prevents the start.
 */
export async function examineApp(unstarted: UnstartedApp): Promise<ExaminedApp> {
  const { context, declared } = unstarted
  const { settings, documents, description } = declared
  const { model, warnings } = description
  const plugins = await allPlugins(settings, model)
  const added = addRoutes({ documents, plugins, model, app: context, settings })
  return {
    problems: [
      ...warnings,
      ...added.problems,
      ...ignoredOverrides(settings),
      ...findHiddenRoutes(settings, model),
      ...checkProduction(settings, model),
    ],
    usesTenants: usesTenants(settings.tenant, model),
  }
}
