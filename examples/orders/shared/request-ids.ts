import { randomUUID } from 'node:crypto'
import type { Plugin } from 'blazon'

/** Gives every request an id, which its answer carries as a header and, if it fails, in its body. */
export const requestIds: Plugin = {
  name: 'request-ids',
  middlewares: [
    function requestId(req, res, next) {
      req.id = randomUUID()
      res.setHeader('X-Request-Id', req.id)
      next()
    },
  ],
}
