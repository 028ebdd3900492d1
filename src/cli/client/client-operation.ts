import type {
  OpenApiDocument,
  OpenApiMediaType,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiResponse,
  OpenApiSchema,
  Reference,
} from '../../contracts/openapi-3-0.js'
import { operationsIn } from '../../schema/path-item.js'
import { followReference, resolveResponse } from '../component-reference.js'
import { camelCase, NameRegistry } from './identifiers.js'

/** An operation of the document, with its names in the client. */
export interface ClientOperation {
  /** The operation's key in the type `Operations`. */
  readonly id: string
  /** The group in the client, such as `users` in `client.users.getById`. */
  readonly group: string
  /** The method name in the client, such as `getById` in `client.users.getById`. */
  readonly name: string
  /** The HTTP method, in upper case. */
  readonly method: string
  /** The path, with `{name}` for each parameter. */
  readonly path: string
  readonly operation: OpenApiOperation
  readonly parameters: readonly OpenApiParameter[]
  /** The fixed header that specifies the API version. The client sends it with every request. */
  readonly fixed: Readonly<Record<string, string>>
  readonly responses: readonly ClientResponse[]
  readonly isProtected: boolean
  /** The schema of all error bodies of the operation, documented or not; `null` for the framework's error envelope. */
  readonly ownErrors: OpenApiSchema | null
}

/** One documented response. */
export interface ClientResponse {
  /** The status: `200`, `2XX` or `default`. */
  readonly status: string
  readonly response: OpenApiResponse
  /** Whether the body is the success envelope. If so, the client returns its `data`. */
  readonly isEnveloped: boolean
}

const METHODS = ['get', 'query', 'post', 'put', 'patch', 'delete', 'head', 'options'] as const

/** Lists all operations of a document in document order, with their names in the client. */
export function clientOperations(document: OpenApiDocument): ClientOperation[] {
  return namedOperations(document).map((named) => describe(named, document))
}

/** Returns the client method for each operation, such as `users.getById` for `GET /users/{id}`. */
export function clientNames(document: OpenApiDocument): ReadonlyMap<string, string> {
  return new Map(
    namedOperations(document).map(({ method, path, group, name }) => [
      `${method} ${path}`,
      `${group}.${name}`,
    ]),
  )
}

type NamedOperation = Pick<
  ClientOperation,
  'id' | 'group' | 'name' | 'method' | 'path' | 'operation'
>

function namedOperations(document: OpenApiDocument): NamedOperation[] {
  const ids = new NameRegistry()
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = operationsIn(item)[method]
      if (operation === undefined) return []
      const id = ids.claim(operation.operationId ?? camelCase(`${method} ${path}`))
      const [tag = ''] = operation.tags ?? []
      const group = camelCase(tag) || 'default'
      return [{ id, group, method: method.toUpperCase(), path, operation }]
    }),
  )
  return nameMethods(operations)
}

function describe(named: NamedOperation, document: OpenApiDocument): ClientOperation {
  const { operation } = named
  const security = operation.security ?? document.security ?? []
  const { header, version } = document['x-api-version'] ?? {}
  const parameters = operation.parameters ?? []
  const others = parameters.filter(({ in: place, name }) => place !== 'header' || name !== header)
  const isVersioned = header !== undefined && others.length < parameters.length
  return {
    ...named,
    parameters: others.map(withOptionalKey),
    fixed: isVersioned ? { [header]: version as string } : {},
    responses: Object.entries(operation.responses).map(([status, response]) =>
      describeResponse({ status, response, document }),
    ),
    ownErrors: ownErrorsOf(operation, document),
    isProtected: security.some((requirement) => Object.keys(requirement).length > 0),
  }
}

const isKey = ({ in: place, name }: OpenApiParameter) =>
  place === 'header' && name.toLowerCase() === 'idempotency-key'

/** Whether an operation accepts an idempotency key, so that a client can repeat it safely. */
export function isRepeatable({ parameters }: Pick<ClientOperation, 'parameters'>): boolean {
  return parameters.some(isKey)
}

/** Returns the precondition of a write, which callers pass as `ifMatch`; `undefined` if the operation has none. */
export function conditionOf({
  parameters,
}: Pick<ClientOperation, 'parameters'>): OpenApiParameter | undefined {
  return parameters.find(
    ({ in: place, name }) => place === 'header' && name.toLowerCase() === 'if-match',
  )
}

/** Makes the idempotency key optional, because the client can create one. */
function withOptionalKey(parameter: OpenApiParameter): OpenApiParameter {
  return isKey(parameter) ? { ...parameter, required: false } : parameter
}

interface ResponseSource {
  readonly status: string
  readonly response: OpenApiResponse | Reference
  readonly document: OpenApiDocument
}

function describeResponse({ status, response, document }: ResponseSource): ClientResponse {
  const resolved = resolveResponse(response, document)
  const { content = {} } = resolved
  const isFull = status.startsWith('2') && Object.keys(content).length > 0
  const isEnveloped = isFull && isEnvelope(preferredContent(content)[1].schema, document)
  return { status, response: resolved, isEnveloped }
}

/**
 * Returns the application's own error format; `null` if it uses the error envelope, or if the format is unknown. It is
 * the format that 400 and 500 share: the framework adds them to every operation unless the author describes them.
 */
function ownErrorsOf(
  { responses }: OpenApiOperation,
  document: OpenApiDocument,
): OpenApiSchema | null {
  const [first, second] = ['400', '500'].map((status) => {
    const response = responses[status]
    const { content = {} } = response === undefined ? {} : resolveResponse(response, document)
    const [type, media] = Object.keys(content).length > 0 ? preferredContent(content) : ['']
    return isJson(type) ? media?.schema : undefined
  })
  if (first === undefined || JSON.stringify(first) !== JSON.stringify(second)) return null
  const [kind] = propertiesOf(first, document)['statusCode']?.enum ?? []
  return kind === 'error' ? null : first
}

/** Whether a media type is JSON. */
export function isJson(mediaType: string): boolean {
  return /^[^;]*[/+]json\s*(;|$)/i.test(mediaType)
}

/**
 * Returns the preferred media type of a body, with its content: `application/json`, otherwise another JSON type,
 * otherwise the first type.
 */
export function preferredContent(
  content: Readonly<Record<string, OpenApiMediaType>>,
): [string, OpenApiMediaType] {
  const entries = Object.entries(content)
  const json = entries.filter(([type]) => isJson(type))
  const plain = json.find(([type]) => /^application\/json\s*(;|$)/i.test(type))
  return (plain ?? json[0] ?? entries[0]) as [string, OpenApiMediaType]
}

/** Whether a schema is the success envelope: `statusCode` can only be `'success'`, and there is a `message`. */
function isEnvelope(schema: OpenApiSchema, document: OpenApiDocument): boolean {
  const properties = propertiesOf(schema, document)
  const values = properties['statusCode']?.enum
  return values?.length === 1 && values[0] === 'success' && 'message' in properties
}

/**
 * Derives each method's name from its operation ID. If two methods in a group would have the same name, only one keeps
 * it: the method of the class after which the group is named, or otherwise the first method. The other methods use the
 * whole operation ID, so that a new operation rarely renames an existing one.
 */
function nameMethods(operations: readonly Omit<NamedOperation, 'name'>[]): NamedOperation[] {
  const placeOf = ({ group, id }: Omit<NamedOperation, 'name'>) => `${group} ${shortName(id)}`
  const owners = new Map<string, string>()
  for (const operation of operations) {
    const { id, group } = operation
    const place = placeOf(operation)
    const isOwn = (of: string) => camelCase(of.slice(0, of.indexOf('_'))) === group
    const known = owners.get(place)
    if (known === undefined || (!isOwn(known) && isOwn(id))) owners.set(place, id)
  }
  const registries = new Map<string, NameRegistry>()
  const claim = ({ group }: Omit<NamedOperation, 'name'>, name: string): string => {
    // A group with a method `then` would be treated as a promise.
    const registry = registries.get(group) ?? new NameRegistry(['then'])
    registries.set(group, registry)
    return registry.claim(name || 'call')
  }
  const isOwner = (operation: Omit<NamedOperation, 'name'>) =>
    owners.get(placeOf(operation)) === operation.id
  // Owners come first, because another operation's whole ID may be equal to an owner's name.
  const names = new Map<string, string>()
  for (const each of operations.filter(isOwner)) names.set(each.id, claim(each, shortName(each.id)))
  return operations.map((operation) => ({
    ...operation,
    name: names.get(operation.id) ?? claim(operation, camelCase(operation.id)),
  }))
}

/** Returns the part of an operation ID after the class name. */
function shortName(id: string): string {
  return camelCase(id.slice(id.indexOf('_') + 1))
}

/** The maximum length of a chain of references. A longer chain is treated as circular. */
const MAX_DEPTH = 20

/** Returns the properties of a schema, including properties from its references and parts. */
export function propertiesOf(
  schema: OpenApiSchema,
  document: OpenApiDocument,
  depth = 0,
): Record<string, OpenApiSchema> {
  if (depth > MAX_DEPTH) return {}
  if (schema.$ref !== undefined) {
    const target = followReference(schema.$ref, 'schemas', document.components?.schemas)
    return target === undefined ? {} : propertiesOf(target, document, depth + 1)
  }
  const inherited = (schema.allOf ?? []).map((part) => propertiesOf(part, document, depth + 1))
  return Object.assign({}, ...inherited, schema.properties)
}
