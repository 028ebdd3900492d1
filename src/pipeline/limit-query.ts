import type { Application } from 'express'
import { refuse } from '../errors/refuse.js'
import { MAX_PARAMETERS } from '../http/count-parameters.js'
import { kPassOn } from '../http/own-fields.js'
import type { OnError, RunRoute } from '../step/step.js'
import type { DispatchConfig } from './compile-dispatch.js'

/** Express' own, which stop at {@link MAX_PARAMETERS}. One of the application's has limits of its own. */
const EXPRESS_PARSERS: readonly unknown[] = [true, 'simple', 'extended']

/** What becomes of a query string that is not read whole. */
export interface QueryLimit extends Pick<DispatchConfig, 'match'> {
  /** Which knows how the query is parsed. */
  readonly express: Application
  /** What would have run. */
  readonly run: RunRoute
  /** Answers with the error, behind what a browser needs to see it. */
  readonly refuse: RunRoute
}

/**
 * Refuses a request whose query string has more parameters than Express' parsers read: nobody would learn of those that they leave
 * out. Before anything has read it, because a getter that throws ends the process where a callback asks it.
 */
export function limitQuery({ express, match, run, refuse }: QueryLimit): RunRoute {
  return function runLimited(req, res) {
    const isRead = EXPRESS_PARSERS.includes(express.get('query parser'))
    // The application that ours is mounted in may read it in another way.
    const isTheirs = req[kPassOn] !== undefined && match(req.method, req.url).kind !== 'route'
    if (isRead && !isTheirs) refuse(req, res)
    else run(req, res)
  }
}

/** Makes the end of those that are refused. */
export function refuseQuery(onError: OnError): RunRoute {
  return function refuseExcessive(req, res) {
    const message = `The query string has more than ${MAX_PARAMETERS} parameters; send fewer, or send them in the body`
    onError(refuse('TOO_MANY_PARAMETERS', message), req, res)
  }
}
