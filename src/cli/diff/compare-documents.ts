import type { OpenApiDocument as AnyDocument } from '../../contracts/openapi.js'
import type { OpenApiDocument, OpenApiOperation } from '../../contracts/openapi-3-0.js'
import { lowerDocument } from '../../schema/dialect/rewrite-schema.js'
import { breaking, type Change, compatible, type LocalChange } from './change.js'
import { compareOperations } from './compare-operations.js'
import { compareUnjudged } from './compare-unjudged.js'
import { SchemaEquality } from './resolve-schema.js'

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'] as const

/** An operation with its title. */
interface Placed {
  /** `GET /users/{id}` */
  readonly title: string
  readonly operation: OpenApiOperation
}

/**
 * The changes from an older document to a newer one that matter to clients, so descriptions are ignored. They
 * are in the order of the older document; new operations come last. The documents may have different versions of OpenAPI.
 */
export function compareDocuments(older: AnyDocument, newest: AnyDocument): Change[] {
  const [base, current] = [lowerDocument(older), lowerDocument(newest)]
  const originals = [originalsOf(older), originalsOf(newest)] as const
  const [from, to] = [operationsOf(base), operationsOf(current)]
  const comparison = { base, current, equality: new SchemaEquality(base, current) }
  const kept = [...from].flatMap(([key, { title, operation }]) => {
    const newer = to.get(key)?.operation
    const changes =
      newer === undefined
        ? [breaking('operation-removed', '', 'The operation is gone.')]
        : compareOperations({ base: operation, current: newer }, comparison)
    const written = [originals[0].get(key), originals[1].get(key)] as const
    return place(title, [...changes, ...compareUnjudged(written, [older, newest])])
  })
  const fresh = [...to].filter(([key]) => !from.has(key))
  return [
    ...place('document', compareServers(base, current)),
    ...kept,
    ...fresh.flatMap(([, { title }]) =>
      place(title, [compatible('operation-added', '', 'The operation is new.')]),
    ),
  ]
}

/**
 * The operations by method and path. The names of path parameters are ignored, because a URL does not contain
 * them.
 */
function operationsOf(document: OpenApiDocument): Map<string, Placed> {
  const operations = new Map<string, Placed>()
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const operation = item[method]
      const key = `${method} ${path.replace(/\{[^{}]*\}/g, '{}')}`
      const title = `${method.toUpperCase()} ${path}`
      if (operation !== undefined) operations.set(key, { title, operation })
    }
  }
  return operations
}

/** The operations as they were written, by the same keys. */
function originalsOf(document: AnyDocument): Map<string, unknown> {
  const lowered = operationsOf(document as OpenApiDocument)
  return new Map([...lowered].map(([key, { operation }]) => [key, operation]))
}

function compareServers(base: OpenApiDocument, current: OpenApiDocument): LocalChange[] {
  const urls = new Set((current.servers ?? []).map(({ url }) => url))
  return (base.servers ?? [])
    .filter(({ url }) => !urls.has(url))
    .map(({ url }) => breaking('server-removed', 'servers', `The server ${url} is gone.`))
}

function place(operation: string, changes: readonly LocalChange[]): Change[] {
  return changes.map(({ rule, isBreaking, location, message }) => ({
    rule,
    isBreaking,
    operation,
    // A schema at the root has no further step, so the location would end with the separator.
    location: location.replace(/ › $/, ''),
    message,
  }))
}
