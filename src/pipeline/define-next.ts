import type { NextFunction } from '../contracts/handler.js'
import type { BlazonRequest, RequestClass } from '../http/request.js'
import { kNext } from '../http/symbol-fields.js'
import type { OnError } from '../step/step.js'
import { nextOf } from './steps/handler.js'

/**
 * Gives every request a `next`, created at its first use. `res.sendFile`, `res.render` and `res.format` pass
 * their errors to `req.next`. Without it, a route whose file is missing would never respond.
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
