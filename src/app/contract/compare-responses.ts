import type { ContractViolation } from '../../contracts/contract-violation.js'
import type { Request, Response } from '../../contracts/handler.js'
import type { EndedRequest } from '../../contracts/observers.js'
import { SentBody, sentHeaders } from '../../http/sent-body.js'
import { checkResponse, documentedStatus } from './check-response.js'
import {
  type DescribedRoutes,
  documentedByRoute,
  type FindOperation,
  operationFinder,
} from './documented-by-route.js'
import { bodyText, isJson } from './exchange.js'
import { ResponseCompilers } from './response-compilers.js'

/** A longer body is not compared: development shall not wait for it. */
const MOST_BYTES = 1_000_000

/** Compares the responses of an application with its documents, for the dashboard of `blazon dev`. */
export class ResponseComparison {
  readonly #described: () => DescribedRoutes
  readonly #bodies = new WeakMap<Response, SentBody>()
  readonly #compilers = new ResponseCompilers()
  #find: FindOperation | undefined

  /** @param described Called with the first response, because a document takes time to build. */
  constructor(described: () => DescribedRoutes) {
    this.#described = described
  }

  /** Begins to follow the response to a request. Later calls change nothing. */
  follow({ res }: Request): void {
    if (res !== undefined && !this.#bodies.has(res))
      this.#bodies.set(res, new SentBody(res, MOST_BYTES))
  }

  /** Returns the differences between the response and the document. Never throws. */
  mismatchesOf(ended: EndedRequest): readonly ContractViolation[] {
    try {
      return this.#compare(ended)
    } catch {
      // A document that cannot be built is reported at boot and by its page.
      return []
    }
  }

  #compare({ req, res, route, status, outcome }: EndedRequest): readonly ContractViolation[] {
    const sent = res === null ? undefined : this.#bodies.get(res)
    if (req === null || res === null || route === null || status === null) return []
    if (sent === undefined || outcome !== 'sent' || sent.isTooLong) return []
    this.#find ??= operationFinder(documentedByRoute(this.#described()))
    const documented = this.#find(route.index, req.method)
    if (documented === undefined) return []
    const headers = sentHeaders(res)
    const hasJson = req.method !== 'HEAD' && isJson(headers['content-type'])
    const body = hasJson ? bodyText(sent.bytes, headers['content-encoding']) : null
    const key = documentedStatus(documented, status)
    const compile = this.#compilers.of(documented.document)
    const exchange = { method: req.method, url: req.originalUrl, status, headers, body }
    return checkResponse(exchange, { documented, key, compile })
  }
}
