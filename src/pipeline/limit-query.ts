import type { Application } from 'express'
import { refuse } from '../errors/refuse.js'
import { MAX_PARAMETERS } from '../http/count-parameters.js'
import { kPassOn } from '../http/symbol-fields.js'
import type { OnError, RunRoute } from '../step/step.js'
import type { DispatchConfig } from './compile-dispatch.js'

/** The query parsers of Express, which stop at {@link MAX_PARAMETERS}. A custom parser has its own limits. */
const EXPRESS_PARSERS: readonly unknown[] = [true, 'simple', 'extended']

/** The input of {@link limitQuery}. */
export interface QueryLimit extends Pick<DispatchConfig, 'match'> {
  /** Its settings contain the query parser. */
  readonly express: Application
  /** Runs requests that are not refused. */
  readonly run: RunRoute
  /** Responds with the error, with the headers that a browser needs to show it. */
  readonly refuse: RunRoute
}

/**
 * Refuses a request with more query parameters than the parsers of Express read, because they silently drop the
 * rest. The check runs before any code reads `req.query`: a getter that throws in a callback would end the
 * process.
 */
export function limitQuery({ express, match, run, refuse }: QueryLimit): RunRoute {
  return function runLimited(req, res) {
    const isRead = EXPRESS_PARSERS.includes(express.get('query parser'))
    // The application that ours is mounted in may use another parser for this request.
    const isTheirs =
      req[kPassOn] !== undefined && match(req.method, req.url, req.headers).kind !== 'route'
    if (isRead && !isTheirs) refuse(req, res)
    else run(req, res)
  }
}

/** Creates the function that refuses such requests. */
export function refuseQuery(onError: OnError): RunRoute {
  return function refuseExcessive(req, res) {
    const message = `The query string has more than ${MAX_PARAMETERS} parameters; send fewer, or send them in the body`
    onError(refuse('TOO_MANY_PARAMETERS', message), req, res)
  }
}
