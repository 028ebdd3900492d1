import type { Response } from '../../contracts/handler.js'
import type { BlazonRequest } from '../request.js'
import { REQUEST_ID_HEADER as name, sendableRequestId } from '../request-id.js'
import { addHeaders, changeAdded } from './response-headers.js'

/** Adds the id of a request to its response, before any other code runs that could respond. */
export function sendRequestId(req: BlazonRequest, res: Response): void {
  const id = sendableRequestId(req)
  if (id !== undefined) addHeaders(res, [name, id])
}

/** Changes the header when other code has set `req.id`. A response that has begun keeps the id that it was sent with. */
export function resendRequestId(req: BlazonRequest, from: string | undefined): void {
  // Before the listener has the request, there is no response.
  const { res } = req as Partial<BlazonRequest>
  if (res !== undefined) changeAdded(res, { name, from, to: sendableRequestId(req) })
}
