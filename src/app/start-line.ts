import type { AddressInfo } from 'node:net'
import type { Logger } from '../contracts/logger.js'

/** The input of {@link logStart}. */
export interface Start {
  readonly logger: Logger
  /** The address that the server reports. */
  readonly address: AddressInfo | string
  readonly routes: number
  readonly startMs: number
  /** The documents of the application. */
  readonly documents: readonly { readonly path: string; readonly isEnabled: boolean }[]
}

/**
 * Logs where an application listens, how many routes it has, and how long the start took. In development, also where
 * its documentation is.
 */
export function logStart({ logger, address, routes, startMs, documents }: Start): void {
  const url = urlOf(address)
  const ms = Math.round(startMs)
  const count = `${routes} ${routes === 1 ? 'route' : 'routes'}`
  const path = process.env['NODE_ENV'] === 'production' ? undefined : pageOf(documents)
  const docs = path === undefined || !url.startsWith('http') ? undefined : url + path
  logger.info(
    { url, routes, startMs: ms, ...(docs !== undefined && { docs }) },
    `Listening on ${url} with ${count}, started in ${ms} ms${docs === undefined ? '' : `; documentation: ${docs}`}`,
  )
}

function pageOf(documents: Start['documents']): string | undefined {
  return documents.find(({ isEnabled }) => isEnabled)?.path
}

/** A URL that a person can open. An address that means all addresses of the machine has no URL of its own. */
export function urlOf(address: AddressInfo | string): string {
  if (typeof address === 'string') return `unix:${address}`
  const { address: host, port } = address
  if (host === '::' || host === '0.0.0.0') return `http://localhost:${port}`
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}
