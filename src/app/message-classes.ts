import type { Application } from 'express'
import { can } from '../features/policies/checks.js'
import type { Security } from '../features/security/security.js'
import { isExpressApp } from '../http/express-routers.js'
import { hostedApp } from '../http/hosted-app.js'
import { createRequestClass, hostedRequestClass, type RequestClass } from '../http/request.js'
import { resendRequestId } from '../http/request-id.js'
import {
  createResponseClass,
  hostedResponseClass,
  type ResponseClass,
} from '../http/send/response-class.js'
import { staticHeaders } from '../http/send/wire-text.js'
import { refuseHidden } from '../schema/fields/to-plain.js'
import type { Settings } from './settings/settings.js'
import type { RunningFeatures } from './start-features.js'

/** The request and response classes for one host of the application. */
export interface MessageClasses {
  readonly Request: RequestClass
  readonly Response: ResponseClass
}

/** The input of {@link createMessageClasses}. */
export interface MessageConfig {
  readonly security: Security
  readonly features: Pick<RunningFeatures, 'scopes' | 'addsHeaders'>
  readonly settings: Pick<Settings, 'sendsRequestIds' | 'trustRequestId' | 'cookies' | 'auth'>
}

/** Creates the classes of an application's requests and responses. */
export function createMessageClasses(
  host: Application,
  {
    security: { headers, crossOrigin },
    features: { scopes, addsHeaders },
    settings,
  }: MessageConfig,
): MessageClasses {
  const { sendsRequestIds, trustRequestId: trustsClient, auth } = settings
  // Responses to requests with a credential receive `no-store`.
  const forbidsStoring = auth.guards.length > 0
  const ids = { trustsClient, onSet: sendsRequestIds ? resendRequestId : null }
  const Request = createRequestClass(host, { scopes, ids })
  Object.defineProperty(Request.prototype, 'can', {
    value: can,
    writable: true,
    configurable: true,
  })
  const Response = createResponseClass(host, {
    statics: staticHeaders(headers),
    addsHeaders: addsHeaders || forbidsStoring || sendsRequestIds || crossOrigin?.headersOf != null,
    scopes,
    cookieKeys: settings.cookies.keys,
    checkText: refuseHidden,
  })
  adoptPrototypes(host, Request, Response)
  return { Request, Response }
}

/**
 * Express applications that are mounted on the host inherit its prototypes of requests and responses. Replaces these
 * prototypes with ours, and moves properties that were added to Express' prototypes to ours.
 */
function adoptPrototypes(host: Application, req: RequestClass, res: ResponseClass): void {
  const { request, response } = host as Application & { request: object; response: object }
  moveExtensions(request, req.prototype)
  moveExtensions(response, res.prototype)
  Object.assign(host, { request: req.prototype, response: res.prototype })
}

function moveExtensions(from: object, to: object): void {
  const { app: _app, ...extensions } = Object.getOwnPropertyDescriptors(
    from,
  ) as PropertyDescriptorMap
  Object.defineProperties(to, extensions)
}

/**
 * Returns a function that finds the classes for a host, which is the Express application in `req.app`. The
 * classes of a host are created at its first request.
 */
export function hostedClasses(
  app: Application,
  classes: MessageClasses,
): (host: unknown) => MessageClasses {
  const byHost = new WeakMap<Application, MessageClasses>()
  return function classesFor(host) {
    if (!isExpressApp(host)) return classes
    const known = byHost.get(host)
    if (known !== undefined) return known
    const hosted = hostedApp(app, host)
    const made = {
      Request: hostedRequestClass(classes.Request, hosted),
      Response: hostedResponseClass(classes.Response, hosted),
    }
    Object.assign(hosted, { request: made.Request.prototype, response: made.Response.prototype })
    byHost.set(host, made)
    return made
  }
}
