import type { Plugin } from '../../contracts/plugin.js'
import { refuse } from '../../errors/refuse.js'
import { acceptQuery } from '../../model/accept-query.js'
import { Refusal } from '../../step/refusal.js'

/** Sends the accepted media types in a header, and refuses requests without a media type (RFC 10008). */
export function queryMethodPlugin(): Plugin {
  return {
    name: 'query-method',
    steps(route) {
      if (route.method !== 'QUERY') return null
      const accepted = acceptQuery(route)
      return {
        beforeGuard: (next) =>
          function nameQueryTypes(req, res) {
            res.setHeader('Accept-Query', accepted)
            return next(req, res)
          },
        beforeBody: (next) =>
          function requireQueryType(req, res) {
            if (req.headers['content-type'] !== undefined) return next(req, res)
            return new Refusal(refuse('UNSUPPORTED_MEDIA_TYPE', MISSING))
          },
      }
    },
  }
}

const MISSING = 'A QUERY request must have a Content-Type header'
