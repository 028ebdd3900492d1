import type { AppOptions, SwaggerOptions } from 'blazon'
import { options as orders } from '../../../examples/orders/app.js'
import { database } from '../../../examples/orders/stores.js'
import { startPgliteFromTemplate } from '../../pglite-template.js'
import type { Exchange } from '../traffic/exchange.js'
import { LIBRARIES_EXCHANGES } from '../traffic/libraries-exchanges.js'
import { MUSEUM_EXCHANGES } from '../traffic/museum-exchanges.js'
import { ORDERS_EXCHANGES } from '../traffic/orders-exchanges.js'
import { options as corpus } from './corpus-app.js'
import { options as libraries } from './libraries/app.js'
import { options as museum } from './museum/app.js'

startPgliteFromTemplate()

/** An application whose document is tested. */
export interface ProvenApp {
  readonly name: string
  readonly options: AppOptions
  /** Sent in this order to an application that has just started. */
  readonly exchanges: readonly Exchange[]
}

/** The orders example, in memory: every application that starts has a database of its own. */
const ordersInMemory: AppOptions = {
  ...orders,
  plugins: [database({ DATABASE_FOLDER: 'memory' })],
  logger: false,
}

/** The whole applications. */
export const APPS: readonly ProvenApp[] = [
  { name: 'orders', options: ordersInMemory, exchanges: ORDERS_EXCHANGES },
  { name: 'museum', options: museum, exchanges: MUSEUM_EXCHANGES },
  { name: 'libraries', options: libraries, exchanges: LIBRARIES_EXCHANGES },
]

/** The versions of OpenAPI in which each document is tested. */
export const VERSIONS = ['3.0', '3.1', '3.2'] as const

type Version = (typeof VERSIONS)[number]

/** The same application with documents of another version of OpenAPI. */
export function inVersion(options: AppOptions, version: Version): AppOptions {
  // Both names are of the same option.
  const { openapi, swagger, ...rest } = options
  const given = openapi ?? swagger ?? {}
  if (given === false) return options
  const change = (each: SwaggerOptions): SwaggerOptions => ({ ...each, openapi: version })
  return {
    ...rest,
    openapi: Array.isArray(given) ? given.map(change) : change(given as SwaggerOptions),
  }
}

/** A document that is tested. */
export interface ProvenDocument {
  readonly name: string
  readonly options: AppOptions
  /** The index of the document, if the application has several. */
  readonly index: number
}

/** The documents of all applications, and one of the whole corpus. */
export const DOCUMENTS: readonly ProvenDocument[] = [
  ...APPS.map(({ name, options }) => ({ name, options, index: 0 })),
  { name: 'museum-files', options: museum, index: 1 },
  { name: 'corpus', options: corpus, index: 0 },
]
