// The id that pino-http declares for every request of Node.
import type { IncomingMessage } from 'node:http'
import type { Middleware, Req, Request } from 'blazon'
import type { Request as ExpressRequest, RequestHandler } from 'express'
import type { Equal, Expect } from '../../expect.js'

type ReqId = number | string | object

declare module 'http' {
  interface IncomingMessage {
    id: ReqId
  }
}

export type Ids = [
  Expect<Equal<Request['id'], string>>,
  Expect<Equal<Req<{ auth: true }>['id'], string>>,
  Expect<Equal<ExpressRequest['id'], ReqId>>,
]

declare function genReqId(req: IncomingMessage): ReqId

/** A request is still one of Express and of Node. */
export function name(req: Req): ReqId {
  return genReqId(req)
}

const logging: RequestHandler = (req, _res, next) => {
  req.id = genReqId(req)
  next()
}

export const middlewares: Middleware[] = [logging]
