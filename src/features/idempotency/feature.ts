import type { Provider } from '../../contracts/provider.js'
import type { Feature } from '../../step/feature.js'
import type { IdempotencySources } from './idempotency-plugin.js'
import { IdempotencyStore } from './idempotency-store.js'
import {
  checkIdempotency,
  idempotencyContract,
  idempotencyOf,
  usesIdempotency,
} from './idempotent.js'

export type { IdempotencySources }

interface WithProviders {
  readonly providers?: readonly Provider[]
}

/** The settings that can contain a store for responses. */
export interface IdempotencySettings extends WithProviders {
  readonly plugins: readonly WithProviders[]
}

/** `@Idempotent()`. */
export const idempotency: Feature<IdempotencySettings, IdempotencySources> = {
  name: 'idempotency',
  check: checkIdempotency,
  keptByWorker({ settings, model }) {
    const given = [settings, ...settings.plugins].flatMap(({ providers = [] }) => providers)
    const hasStore = given.some((each) => Object.values(each).includes(IdempotencyStore))
    if (!usesIdempotency(model) || hasStore) return null
    const effect = 'a repeated request runs again if it reaches another worker.'
    return { subject: '@Idempotent()', effect }
  },
  contract: () => idempotencyContract,
  places: (route) => (idempotencyOf(route) === null ? [] : ['aroundHandler']),
  load({ model, healthOf }) {
    if (!usesIdempotency(model)) return null
    return import('./idempotency-plugin.js').then((file) => file.idempotencyPlugin({ healthOf }))
  },
}
