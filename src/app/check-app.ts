import type { Application } from 'express'
import type { AppModel } from '../contracts/route-model.js'
import type { Problem } from '../errors/config-error.js'
import { checkAudience } from './check-audience.js'
import { checkBodies } from './check-bodies.js'
import { checkContracts } from './check-contracts.js'
import { checkExposedDocs } from './check-docs.js'
import { checkMiddlewares } from './check-middlewares.js'
import { checkPatch } from './check-patch.js'
import { checkResponseFields } from './check-response-fields.js'
import { checkResponseLists } from './check-response-lists.js'
import { checkRows } from './check-rows.js'
import { checkSendable } from './check-sendable.js'
import { checkWorkers } from './check-workers.js'
import { compareFeatures } from './features.js'
import type { Settings } from './settings/settings.js'
import { checkRouters } from './tenancy/check-routers.js'

/**
 * Compares the settings of an application with its model. Both have no errors by themselves.
 *
 * @param express The application whose query parser reads the requests.
 */
export function checkApp(settings: Settings, model: AppModel, express: Application): Problem[] {
  return [
    ...checkContracts(settings, model),
    ...compareFeatures(settings, model),
    ...checkRouters(settings),
    ...checkMiddlewares(settings, model),
    ...checkExposedDocs(settings, model),
    ...checkBodies(settings, model),
    ...checkResponseFields(settings, model),
    ...checkResponseLists(settings, model),
    ...checkSendable({ ...settings, express }, model),
    ...checkPatch(model),
    ...checkRows(settings, model),
    ...checkAudience(settings, model),
    ...checkWorkers(settings, model),
  ]
}
