import { InjectionToken } from '../../index.js'
import type { Engine } from './engine.js'

/**
 * The token of the {@link Engine}. Its name is part of the error message when an application has
 * two `postgres()` plugins.
 */
export const EngineToken: InjectionToken<Engine> = new InjectionToken<Engine>(
  'postgres(): an application can have only one',
)
