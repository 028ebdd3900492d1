import type { Application } from 'express'
import { createExpressApp } from '../http/express-parts.js'
import type { Settings } from './settings/settings.js'

/** Creates the Express application in `req.app`. It holds settings and renders views. It has no routes. */
export function createExpressHost(): Application {
  const host = createExpressApp()
  host.disable('x-powered-by')
  host.set('etag', false)
  return host
}

/** Sets the settings that Express itself reads. */
export function configureExpressHost(host: Application, { trustProxy, etag }: Settings): void {
  if (etag) host.set('etag', 'weak')
  if (trustProxy !== null) host.set('trust proxy', trustProxy)
}
