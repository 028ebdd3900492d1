import { type IncomingMessage, ServerResponse } from 'node:http'
import express, { type Application } from 'express'
import type { Response } from '../../contracts/handler.js'
import { copyDescriptors } from '../copy-descriptors.js'
import { kAdded, kLocals, kPrepare } from '../own-fields.js'
import type { BlazonRequest } from '../request.js'
import { bindListeners, type RequestScopes } from '../request-scopes.js'
import { defineReplay } from './replay.js'
import {
  assignOwnHeaders,
  defineStaticHeaders,
  type OwnHeaders,
  restoreAdded,
} from './response-headers.js'
import { defineSendText } from './send-error.js'
import { defineJson, type OwnJson } from './send-json.js'
import { setHeadersForStandIn } from './stand-in.js'
import { defineLead, type StaticHeaders } from './static-headers.js'

/** Makes responses of one application. */
export type ResponseClass = new (
  req: IncomingMessage,
  options?: { highWaterMark?: number },
) => Response

// Node hands the server's options to the constructor as a second argument that its own types do not list.
const NodeResponse = ServerResponse as unknown as new (
  ...args: ConstructorParameters<ResponseClass>
) => ServerResponse

/** Headers of an application's answers that nobody sets one by one. */
export interface HeaderSources {
  /** Those of every answer; `null` when there are none. */
  readonly statics: StaticHeaders | null
  /** Whether `addHeader` is ever called. */
  readonly addsHeaders: boolean
}

/** What a response class is made of. */
export interface ResponseConfig extends HeaderSources {
  /** `null` for an application whose requests have none. */
  readonly scopes: RequestScopes | null
}

const NO_HEADERS: StaticHeaders = { text: '', byName: new Map() }

/** Fields of ours on every response. */
interface Own extends OwnHeaders, OwnJson {
  [kLocals]: Record<string, unknown> | undefined
}

/**
 * A response class of which every instance already is Express 5's response, and which carries the
 * application's static headers without setting them: they are written as text, with the head, unless
 * somebody changes one.
 */
export function createResponseClass(
  app: Application,
  { statics, addsHeaders, scopes }: ResponseConfig,
): ResponseClass {
  class AppResponse extends NodeResponse {
    constructor(req: IncomingMessage, options?: { highWaterMark?: number }) {
      super(req, options)
      assignFields(this as unknown as Own)
    }
  }
  const prototype = AppResponse.prototype as unknown as Response
  copyDescriptors(prototype, express.response)
  Object.defineProperty(prototype, 'app', { value: app, writable: true, configurable: true })
  defineLocals(prototype)
  const headers = statics ?? NO_HEADERS
  defineLead(prototype)
  if (statics !== null || addsHeaders) defineStaticHeaders(prototype, headers)
  defineJson(prototype, app, headers)
  defineReplay(prototype, headers)
  defineSendText(prototype, headers)
  if (scopes !== null)
    bindListeners(prototype, scopes, (res) => (res as Partial<Response>).req as BlazonRequest)
  return AppResponse as unknown as ResponseClass
}

/** The same for answers to requests of a host, whose settings decide what `res.json` does. */
export function hostedResponseClass(Response: ResponseClass, app: Application): ResponseClass {
  const Hosted = class extends Response {}
  const value = { value: app, writable: true, configurable: true }
  Object.defineProperty(Hosted.prototype, 'app', value)
  return Hosted
}

/** Turns a response that another server made into one of ours. */
export function adoptResponse(res: ServerResponse, Class: ResponseClass): Response {
  const { locals, [kAdded]: added } = res as unknown as Response & Partial<Own>
  Object.setPrototypeOf(res, Class.prototype)
  // Some platforms set it on each, which says nothing: see `saidStatus`.
  if (res.statusCode === 200) delete (res as Partial<ServerResponse>).statusCode
  // Of an application that has passed it on. Node warns of more than ten.
  res.off('error', ignore)
  assignFields(res as unknown as Own)
  if (added) restoreAdded(res, added)
  if (locals !== undefined) (res as unknown as Response).locals = locals
  setHeadersForStandIn(res)
  return res as unknown as Response
}

/** Node reports a write after the end as an event, and an event of this name that nobody hears ends the process. */
function ignore(): void {}

function assignFields(own: Own): void {
  own[kLocals] = undefined
  own[kPrepare] = null
  assignOwnHeaders(own)
  ;(own as unknown as ServerResponse).on('error', ignore)
}

/** `res.locals`, if anybody has asked for it: to ask makes it. */
export function localsOf(res: Response): Record<string, unknown> | undefined {
  return (res as unknown as Own)[kLocals]
}

/** Made on first use, with no prototype, as Express does. */
function defineLocals(prototype: Response): void {
  Object.defineProperty(prototype, 'locals', {
    configurable: true,
    enumerable: true,
    get(this: Own) {
      this[kLocals] ??= Object.create(null)
      return this[kLocals]
    },
    set(this: Own, value: Record<string, unknown>) {
      this[kLocals] = value
    },
  })
}
