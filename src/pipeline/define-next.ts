import type { NextFunction } from '../contracts/handler.js'
import { kNext } from '../http/own-fields.js'
import type { BlazonRequest, RequestClass } from '../http/request.js'
import type { OnError } from '../step/step.js'
import { nextOf } from './steps/handler.js'

/**
 * Gives every request a `next`, which is where `res.sendFile`, `res.render` and `res.format` take their
 * errors: a route whose file is missing would otherwise never be answered. Made on first use.
 */
export function defineNext(Request: RequestClass, onError: OnError): void {
  Object.defineProperty(Request.prototype, 'next', {
    configurable: true,
    enumerable: true,
    get(this: BlazonRequest) {
      this[kNext] ??= nextOf(this, this.res, onError)
      return this[kNext]
    },
    set(this: BlazonRequest, next: NextFunction | undefined) {
      this[kNext] = next
    },
  })
}
