// Where nothing else declares a user: no package here has `Express.Request.user`.
import type { Req, Request, User } from 'blazon'
import type { Request as ExpressRequest } from 'express'
import type { Equal, Expect } from '../expect.js'

export type Users = [
  Expect<Equal<'user' extends keyof ExpressRequest ? true : false, false>>,
  Expect<Equal<Request['user'], User | undefined>>,
  Expect<Equal<Req<{ auth: true }>['user'], User>>,
]

/** A request is still one of Express. */
export function asExpress(req: Req<{ auth: true }>): ExpressRequest {
  return req
}
