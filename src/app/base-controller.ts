import type { Response } from '../contracts/handler.js'
import { routeOf } from '../http/request-notes.js'
import { discardBody, isReadInParts } from '../http/send/raw-body.js'
import { ownSender, successEnvelope } from '../pipeline/send-success.js'
import { isOrdinaryData, statusOf } from '../pipeline/steps/respond.js'

/**
 * Declares the type of `this.ok`. Extending this class is optional: every controller has the method.
 *
 * @example
 * @Controller('users')
 * class UsersController extends BaseController {
 *   @Get()
 *   list(_req: Request, res: Response) { return this.ok(res, 'Users', users.all()) }
 * }
 */
export class BaseController {
  /**
   * Sends the success envelope `{ statusCode: 'success', status, message, data }`, or the envelope of the route: bare
   * data under `@Envelope(false)`, or a custom envelope. The same applies in routers and middlewares of `@Use`.
   * Middlewares of the option `middlewares` have no route, so they send the success envelope.
   *
   * @param res The response of the request.
   * @param message The `message` of the envelope.
   * @param data The `data` of the envelope. Default: none.
   * @param status HTTP status, such as 201. Default: the status set with `res.status`, otherwise the status of
   * `@HttpCode` or of the option `defaultStatus`, otherwise 200.
   * @returns the response, which is already sent.
   * @throws TypeError if `data` is a stream, a file or a `Response`: return it from the handler instead.
   */
  ok(
    res: Response,
    message: string,
    data?: unknown,
    status: number = statusOf(res, statedStatus(res)),
  ): Response {
    if (!isOrdinaryData(data) && isReadInParts(data)) {
      discardBody(data)
      throw new TypeError(NO_DATA)
    }
    const route = routeOf(res.req)
    if (route?.isEnveloped === false) {
      ownSender(route)(res, { status, message, data })
      return res
    }
    return res.status(status).json(successEnvelope(status, message, data))
  }
}

const NO_DATA =
  'The data of this.ok() is a stream, a file or a Response, which has no JSON representation: return it from the handler.'

/** Returns the declared status of this route, or `null` if there is none. */
function statedStatus({ req }: Response): number | null {
  return routeOf(req)?.status ?? null
}

/** Adds `ok` to a controller that does not extend {@link BaseController} and has no `ok` itself. */
export function attachOk(controller: object): void {
  if ('ok' in controller || !Object.isExtensible(controller)) return
  const value = BaseController.prototype.ok
  Object.defineProperty(controller, 'ok', { value, writable: true, configurable: true })
}
