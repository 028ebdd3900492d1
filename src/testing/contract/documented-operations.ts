import type { CompiledRoutes } from '../../app/compile-routes.js'
import type { AppDocument } from '../../app/documents.js'
import type { OpenApiDocument, OpenApiOperation } from '../../contracts/openapi.js'
import type { AppModel } from '../../contracts/route-model.js'
import { listOperations } from '../../openapi/operations.js'

/** An operation of a document, and who answers it. */
export interface DocumentedOperation {
  readonly document: OpenApiDocument
  readonly operation: OpenApiOperation
  readonly operationId: string
  /** `GET /users/{id}` */
  readonly name: string
  /** `UsersController.getById` */
  readonly handler: string
}

/** The operations of an application, found as it finds its routes: paths are not compared a second time. */
export class DocumentedOperations {
  /** The same for an application that is made again, and of no other. */
  readonly model: AppModel
  readonly #match: CompiledRoutes['match']
  readonly #byRoute: ReadonlyMap<string, DocumentedOperation>

  constructor(
    { model, match }: Pick<CompiledRoutes, 'model' | 'match'>,
    documents: readonly AppDocument[],
  ) {
    this.model = model
    this.#match = match
    const byId = new Map(documents.flatMap(({ document }) => operationsOf(document)).reverse())
    const entries = listOperations(model.routes).operations.flatMap(
      ({ route, method, operationId }) => {
        const found = byId.get(operationId)
        if (found === undefined) return []
        const documented: DocumentedOperation = { ...found, operationId, handler: route.name }
        return [[keyOf(route.index, method), documented] as const]
      },
    )
    this.#byRoute = new Map(entries)
  }

  get all(): DocumentedOperation[] {
    return [...this.#byRoute.values()]
  }

  /** `undefined` where no document says anything: no route, a hidden one, a page of the framework. */
  find(method: string, url: string): DocumentedOperation | undefined {
    const found = this.#match(method, url)
    if (found.kind !== 'route') return undefined
    const own = this.#byRoute.get(keyOf(found.index, method))
    // HEAD is answered as GET is, where nothing else is said.
    return own ?? (method === 'HEAD' ? this.#byRoute.get(keyOf(found.index, 'get')) : undefined)
  }
}

function keyOf(index: number, method: string): string {
  return `${index} ${method.toLowerCase()}`
}

function operationsOf(document: OpenApiDocument) {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => {
      const name = `${method.toUpperCase()} ${path}`
      return [operation.operationId as string, { document, operation, name }] as const
    }),
  )
}
