import type { Response } from '../contracts/handler.js'
import type { RouteModel } from '../contracts/route-model.js'
import { successEnvelope } from '../errors/envelope.js'
import { saidStatus } from '../http/send/said-status.js'

/**
 * Gives `this.ok` its type. Extending it is optional: every controller has the method.
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
   * Answers with the success envelope (specification section 2.1).
   *
   * @param status HTTP status; 201 for something created. Default: what `res.status` was told before, else the route's `@HttpCode`, else 200.
   * @returns the response, already sent.
   */
  ok(
    res: Response,
    message: string,
    data?: unknown,
    status: number = saidStatus(res, statedStatus(res)),
  ): Response {
    return res.status(status).json(successEnvelope(status, message, data))
  }
}

/** What the document says of this route. An Express router's `req.route` states none. */
function statedStatus({ req }: Response): number | null {
  const status: unknown = (req.route as RouteModel | undefined)?.status
  return typeof status === 'number' ? status : null
}

/** Gives a controller that does not extend {@link BaseController} its `ok`, unless it has one of its own. */
export function attachOk(controller: object): void {
  if ('ok' in controller || !Object.isExtensible(controller)) return
  const value = BaseController.prototype.ok
  Object.defineProperty(controller, 'ok', { value, writable: true, configurable: true })
}
