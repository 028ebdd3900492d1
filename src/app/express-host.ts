import express, { type Application } from 'express'
import type { AppOptions } from './options.js'

/** The Express application behind `req.app`: it holds settings and renders views; it routes nothing. */
export function createExpressHost(): Application {
  const host = express()
  host.disable('x-powered-by')
  host.set('etag', false)
  return host
}

/** Passes the options that are settings of Express on to it. */
export function configureExpressHost(host: Application, { trustProxy, etag }: AppOptions): void {
  if (etag === true) host.set('etag', 'weak')
  if (trustProxy !== undefined) host.set('trust proxy', trustProxy)
}

/** Why Express refuses a value of `trust proxy`; `null` when it does not. */
export function trustProxyProblem(trustProxy: AppOptions['trustProxy']): string | null {
  try {
    express().set('trust proxy', trustProxy)
    return null
  } catch (error) {
    return (error as Error).message
  }
}
