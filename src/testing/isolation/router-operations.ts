import type { OpenApiDocument, OpenApiOperation } from '../../contracts/openapi.js'
import type { NamedMiddleware } from '../../features/tenancy/check-routers.js'
import { listRoutes } from '../../http/express-routes.js'
import type { DocumentedOperation } from '../contract/documented-operations.js'

/** What a router answers, as if a document described it. */
export interface RouterOperation extends DocumentedOperation {
  /** Why nothing of it is asked; `undefined` when it is. */
  readonly unasked: string | undefined
}

/** `POST /legacy/rows` */
const REQUEST = /^(?:([A-Z]+) )?(\/\S*)$/

const METHODS_WITH_BODY = ['POST', 'PUT', 'PATCH']

/** Whether a request is one that `proveIsolation({ requests })` takes. */
export function isRouterRequest(request: unknown): boolean {
  return typeof request === 'string' && REQUEST.test(request)
}

/**
 * What of the middlewares is asked: reads whose path is known, and what the test has named. The rest is listed, so that nobody
 * takes silence about it for a proof.
 */
export function routerOperations(
  middlewares: readonly NamedMiddleware[],
  requests: readonly string[],
): RouterOperation[] {
  const named = requests.map((request) => {
    const [, method = 'GET', path = '/'] = REQUEST.exec(request) ?? []
    return operationOf({ method, path: templateOf(path), handler: 'requests', unasked: undefined })
  })
  const listed = middlewares.flatMap(({ middleware, name }) =>
    listRoutes(middleware).flatMap(({ methods, path }) =>
      methods.map((method) => operationOf(listedAs(method, path, name))),
    ),
  )
  const all = new Map([...listed.reverse(), ...named].map((each) => [each.operationId, each]))
  return [...all.values()]
}

interface Described {
  readonly method: string
  readonly path: string
  readonly handler: string
  readonly unasked: string | undefined
}

function listedAs(method: string, path: string | null, handler: string): Described {
  const isRead = method === 'GET' || method === '*'
  const template = path === null ? null : templateOf(path)
  // Not the wildcards, groups and optional parts of Express.
  const isPlain = template !== null && !/[*()?+!:]|\{[^}]*[/{]/.test(template)
  if (isPlain && isRead) {
    return { method: 'GET', path: template, handler, unasked: undefined }
  }
  const unasked = isPlain
    ? `changes something, perhaps: name it in requests, '${method} ${template}'`
    : "its path is not known: name it in requests, 'GET /path'"
  return { method, path: template ?? `(a route of ${handler})`, handler, unasked }
}

/** `/rows/:id` is `/rows/{id}`. */
function templateOf(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}')
}

const TEXT = { type: 'string', minLength: 1 } as const

function operationOf({ method, path, handler, unasked }: Described): RouterOperation {
  const name = `${method} ${path}`
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, found = '']) => found)
  const body = {
    type: 'object' as const,
    properties: { text: TEXT },
    required: ['text'],
    additionalProperties: false,
  }
  const operation = {
    operationId: name,
    parameters: names.map((each) => ({ name: each, in: 'path', required: true, schema: TEXT })),
    responses: {},
    ...(METHODS_WITH_BODY.includes(method) && {
      requestBody: { content: { 'application/json': { schema: body } } },
    }),
  }
  return {
    document: NO_DOCUMENT,
    operation: operation as unknown as OpenApiOperation,
    operationId: name,
    name,
    handler,
    unasked,
  }
}

const NO_DOCUMENT: OpenApiDocument = {
  openapi: '3.0.3',
  info: { title: '', version: '' },
  servers: [],
  tags: [],
  paths: {},
  components: {},
}
