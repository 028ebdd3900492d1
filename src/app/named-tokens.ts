import type { Token } from '../contracts/provider.js'
import type { AppModel } from '../contracts/route-model.js'
import { guardTokens } from './make-guards.js'
import { interceptorTokens } from './make-interceptors.js'
import type { Settings } from './settings/settings.js'

/** The tokens that options and decorators name, and that something has to provide. */
export function namedTokens(model: AppModel, settings: Settings): Token[] {
  return [...guardTokens(settings.auth), ...interceptorTokens(model, settings)]
}
