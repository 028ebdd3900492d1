import type { IncomingHttpHeaders } from 'node:http'
import type { AppModel } from '../../contracts/route-model.js'
import type { CompiledRoutes } from '../compile-routes.js'
import type { AppDocument } from '../documents.js'
import {
  type DocumentedOperation,
  documentedByRoute,
  type FindOperation,
  operationFinder,
} from './documented-by-route.js'

/**
 * The operations of an application. A request is matched by the router of the application, so paths are not
 * compared a second time.
 */
export class DocumentedOperations {
  /** Identifies the application. If the application is created several times, this is the same object each time. */
  readonly model: AppModel
  readonly #match: CompiledRoutes['match']
  readonly #byRoute: ReadonlyMap<string, DocumentedOperation>
  readonly #find: FindOperation

  constructor(
    { model, match, settings }: Pick<CompiledRoutes, 'model' | 'match' | 'settings'>,
    documents: readonly AppDocument[],
  ) {
    this.model = model
    this.#match = match
    this.#byRoute = documentedByRoute({ model, settings, documents })
    this.#find = operationFinder(this.#byRoute)
  }

  get all(): DocumentedOperation[] {
    return [...this.#byRoute.values()]
  }

  /**
   * Returns the operation of a request; `undefined` if no document describes it, because it has no route, a hidden
   * route, or a route of the framework.
   */
  find(
    method: string,
    url: string,
    headers?: IncomingHttpHeaders,
  ): DocumentedOperation | undefined {
    const found = this.#match(method, url, headers)
    if (found.kind !== 'route') return undefined
    return this.at(found.index, method)
  }

  /** Returns the operation of a route; `undefined` if no document describes it. */
  at(index: number, method: string): DocumentedOperation | undefined {
    return this.#find(index, method)
  }
}
