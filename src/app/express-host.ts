import express, { type Application } from 'express'
import type { Settings } from './settings/settings.js'

/** The Express application behind `req.app`: it holds settings and renders views; it routes nothing. */
export function createExpressHost(): Application {
  const host = express()
  host.disable('x-powered-by')
  host.set('etag', false)
  return host
}

/** Passes on to Express the settings that are its own. */
export function configureExpressHost(host: Application, { trustProxy, etag }: Settings): void {
  if (etag) host.set('etag', 'weak')
  if (trustProxy !== null) host.set('trust proxy', trustProxy)
}
