import type { OpenApiMethod } from '../contracts/openapi.js'
import type { HttpMethod, RouteModel } from '../contracts/route-model.js'
import type { Problem } from '../errors/config-error.js'
import { pathShape } from '../model/paths.js'
import { handlerName } from './naming.js'

/** A route with one of its methods and the `operationId`. */
export interface DocumentedOperation {
  readonly route: RouteModel
  readonly method: OpenApiMethod
  readonly operationId: string
}

/** The methods that a document lists for `@All`. Generated clients support these methods. */
const ALL: readonly HttpMethod[] = ['GET', 'PUT', 'POST', 'DELETE', 'PATCH']

/**
 * Lists the operations of routes, each with a unique `operationId` such as `Users_getById`. If a handler has several
 * routes, or two classes have the same name, the method and the path are appended. A counter is not used, because
 * adding one operation could then rename another.
 */
export function listOperations(routes: readonly RouteModel[]): {
  operations: DocumentedOperation[]
  problems: Problem[]
} {
  const drafts = withoutShadowed(routes).map(({ route, method }): Draft => {
    const base = statedId(route, method) ?? shortId(route)
    return { route, method, base, operationId: base }
  })
  const operations = tellApart(tellApart(drafts, longId), exactId).map(
    ({ route, method, operationId }) => ({ route, method, operationId }),
  )
  return { operations, problems: checkUnique(operations) }
}

interface Draft extends DocumentedOperation {
  /** The common prefix of the longer IDs. */
  readonly base: string
}

/** Assigns a longer `operationId` to operations that share one. */
function tellApart(drafts: readonly Draft[], longer: (draft: Draft) => string): readonly Draft[] {
  const groups = new Map<string, Draft[]>()
  for (const draft of drafts) {
    const group = groups.get(draft.operationId) ?? []
    groups.set(draft.operationId, group)
    group.push(draft)
  }
  const shared = new Set<string>()
  for (const [operationId, group] of groups) {
    if (group.length > 1 && !isContradiction(group)) shared.add(operationId)
  }
  if (shared.size === 0) return drafts
  return drafts.map((draft) =>
    shared.has(draft.operationId) ? { ...draft, operationId: longer(draft) } : draft,
  )
}

/**
 * Whether the author assigned one `operationId` to two handlers. The framework reports this as an error and does not
 * correct it.
 */
function isContradiction(group: readonly Draft[]): boolean {
  const isStated = group.some(({ route }) => route.operation.operation.operationId !== undefined)
  const [first, ...others] = group.map(({ route }) => route)
  const isOneHandler = others.every(
    ({ controller, handler }) => controller === first?.controller && handler === first.handler,
  )
  return isStated && !isOneHandler
}

/** Returns the author's `operationId`. An `@All` route has several operations, so the method is appended. */
function statedId(route: RouteModel, method: OpenApiMethod): string | undefined {
  const { operationId } = route.operation.operation
  return operationId !== undefined && route.method === 'ALL'
    ? `${operationId}_${method}`
    : operationId
}

/** Removes the methods of an `@All` route that another route with the same path handles. */
function withoutShadowed(
  routes: readonly RouteModel[],
): Omit<DocumentedOperation, 'operationId'>[] {
  const nameOf = (method: HttpMethod, path: string) => `${method} ${pathShape(path)}`
  const hasAll = routes.some(({ method }) => method === 'ALL')
  const declared = new Set(hasAll ? routes.map(({ method, path }) => nameOf(method, path)) : [])
  return routes.flatMap((route) => {
    if (route.method !== 'ALL') return { route, method: lowerCase(route.method) }
    return ALL.filter((method) => !declared.has(nameOf(method, route.path))).map((method) => ({
      route,
      method: lowerCase(method),
    }))
  })
}

function lowerCase(method: HttpMethod): OpenApiMethod {
  return method.toLowerCase() as OpenApiMethod
}

function shortId(route: RouteModel): string {
  const owner = route.controller.name.replace(/(?<=.)Controller$/, '')
  return identifier(`${owner}_${handlerName(route)}`)
}

function longId({ route, method, base }: Draft): string {
  return identifier([base, method, ...(route.path.match(/\w+/g) ?? [])].join('_'))
}

/**
 * Replaces every special character of the path with its code. This is needed for `/users/id` beside `/users/:id`, and
 * for paths without ASCII letters.
 */
function exactId({ route, method, base }: Draft): string {
  const path = route.path.replace(
    /[^A-Za-z0-9]/gu,
    (each) => `_${each.codePointAt(0)?.toString(16)}_`,
  )
  return identifier(`${base}_${method}${path}`)
}

function identifier(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '_')
}

function checkUnique(operations: readonly DocumentedOperation[]): Problem[] {
  const first = new Map<string, DocumentedOperation>()
  return operations.flatMap((operation): Problem[] => {
    const { route, operationId } = operation
    const winner = first.get(operationId)
    if (winner === undefined) {
      first.set(operationId, operation)
      return []
    }
    const cause = `Its operationId '${operationId}' already belongs to ${winner.route.name}.`
    const remedy = 'Set another ID: @ApiOperation({ operationId }).'
    return [{ code: 'E_OPERATION_ID_DUPLICATE', subject: route.name, cause, remedy }]
  })
}
