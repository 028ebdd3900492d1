import type { Feature } from '../../step/feature.js'
import {
  checkIdempotency,
  idempotencyContract,
  idempotencyOf,
  usesIdempotency,
} from './idempotent.js'

/** `@Idempotent()`. */
export const idempotency: Feature<unknown> = {
  name: 'idempotency',
  check: checkIdempotency,
  contract: () => idempotencyContract,
  places: (route) => (idempotencyOf(route) === null ? [] : ['aroundHandler']),
  load({ model }) {
    if (!usesIdempotency(model)) return null
    return import('./idempotency-plugin.js').then((file) => file.idempotencyPlugin())
  },
}
