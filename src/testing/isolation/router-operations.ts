import type { DocumentedOperation, ExpectedErrors } from '../../app/contract/documented-by-route.js'
import type { NamedMiddleware } from '../../app/tenancy/check-routers.js'
import type { OpenApiDocument, OpenApiOperation } from '../../contracts/openapi.js'
import { listRoutes } from '../../http/express-routes.js'

/** A route of a router in `middlewares`, described like a documented operation. */
export interface RouterOperation extends DocumentedOperation {
  /** The reason why no requests are sent to the operation; `undefined` if requests are sent. */
  readonly notTested: string | undefined
}

/** A request, such as `POST /legacy/rows`. */
const REQUEST = /^(?:([A-Z]+) )?(\/\S*)$/

const METHODS_WITH_BODY = ['POST', 'PUT', 'PATCH']

/** Whether a value is a request for `proveIsolation({ requests })`. */
export function isRouterRequest(request: unknown): boolean {
  return typeof request === 'string' && REQUEST.test(request)
}

/**
 * Lists the routes of the middlewares. Requests are sent to GET routes whose path is known, and to routes that the test
 * specifies. Other routes are listed as not called, so that the report contains them.
 */
export function routerOperations(
  middlewares: readonly NamedMiddleware[],
  requests: readonly string[],
): RouterOperation[] {
  const named = requests.map((request) => {
    const [, method = 'GET', path = '/'] = REQUEST.exec(request) ?? []
    return operationOf({
      method,
      path: templateOf(path),
      handler: 'requests',
      notTested: undefined,
    })
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
  readonly notTested: string | undefined
}

function listedAs(method: string, path: string | null, handler: string): Described {
  const isRead = method === 'GET' || method === '*'
  const template = path === null ? null : templateOf(path)
  // The path has no Express wildcards, groups or optional parts.
  const isPlain = template !== null && !/[*()?+!:]|\{[^}]*[/{]/.test(template)
  if (isPlain && isRead) {
    return { method: 'GET', path: template, handler, notTested: undefined }
  }
  const notTested = isPlain
    ? `can change data: list it in requests, '${method} ${template}'`
    : "its path is unknown: list it in requests, 'GET /path'"
  return { method, path: template ?? `(a route of ${handler})`, handler, notTested }
}

/** Converts `/rows/:id` to `/rows/{id}`. */
function templateOf(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}')
}

const TEXT = { type: 'string', minLength: 1 } as const

function operationOf({ method, path, handler, notTested }: Described): RouterOperation {
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
    headers: {},
    route: null,
    hasEnvelope: false,
    errors: UNKNOWN_ERRORS,
    notTested,
  }
}

/** An Express router has its own error responses. */
const UNKNOWN_ERRORS: ExpectedErrors = {
  types: [],
  isOwn: true,
  validationStatus: 400,
  find: () => undefined,
}

const NO_DOCUMENT: OpenApiDocument = {
  openapi: '3.0.3',
  info: { title: '', version: '' },
  servers: [],
  tags: [],
  paths: {},
  components: {},
}
