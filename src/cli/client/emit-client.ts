import type { OpenApiDocument as AnyDocument } from '../../contracts/openapi.js'
import type {
  OpenApiDocument,
  OpenApiParameter,
  OpenApiResponse,
} from '../../contracts/openapi-3-0.js'
import { lowerDocument } from '../../schema/dialect/rewrite-schema.js'
import { componentName } from '../component-reference.js'
import {
  type ClientOperation,
  clientOperations,
  conditionOf,
  isJson,
  isRepeatable,
  preferredContent,
  propertiesOf,
} from './client-operation.js'
import { alternativesOf, type ClientSchemes, clientSchemes, runtimeWith } from './credentials.js'
import { comment, propertyKey, typeNames } from './identifiers.js'
import { offeredBodies, operationTypes } from './operation-types.js'
import { PAGES_RUNTIME } from './pages-runtime.js'
import { RUNTIME_NAMES } from './runtime.js'
import { CONDITIONS_RUNTIME, withVersions } from './runtime-parts.js'
import { STREAM_RUNTIME } from './stream-runtime.js'
import { type TypeContext, writeType } from './write-type.js'
import { WRITES_RUNTIME } from './writes-runtime.js'

/**
 * Returns a client for a document of any OpenAPI version, as one TypeScript file without dependencies. The file
 * contains a type for each component and each operation, and `createClient`, which sends requests with `fetch`. The
 * same document always results in the same file.
 *
 * @example
 * writeFileSync('openapi-client.ts', emitClient(app.document))
 */
export function emitClient(written: AnyDocument): string {
  const document = lowerDocument(written)
  const operations = clientOperations(document)
  const schemes = clientSchemes(document)
  const named = document['x-api-version']
  const accepted = named?.header === 'Accept' ? named.version : undefined
  const facts: DocumentFacts = {
    parameterOf: (operation) => pageParameter(operation, document),
    securityOf: (operation) => ({
      ...securityMember(operation, { schemes, document }),
      ...(accepted !== undefined && { version: accepted }),
    }),
  }
  const taken = schemes === null ? RUNTIME_NAMES : [...RUNTIME_NAMES, 'Credential']
  const names = typeNames(Object.keys(document.components?.schemas ?? {}), taken)
  const context: TypeContext = { names, binary: 'string', indent: '' }
  return [
    header(document),
    components(document, { context, sent: sentComponents(document, operations) }),
    operationTypes(operations, context),
    withVersions(runtimeWith(schemes), { operations, accepted }),
    ...(operations.some(streams) ? [STREAM_RUNTIME] : []),
    ...(operations.some((each) => facts.parameterOf(each) !== null) ? [PAGES_RUNTIME] : []),
    ...(operations.some(isRepeatable) ? [WRITES_RUNTIME] : []),
    ...(operations.some((each) => conditionOf(each) !== undefined) ? [CONDITIONS_RUNTIME] : []),
    client(operations, facts),
  ].join('\n')
}

function header({ info }: OpenApiDocument): string {
  const text = `${info.title} ${info.version}. Written by \`blazon openapi export --client typescript\`: do not edit, the next export overwrites changes.`
  return `${comment({ text })}/* eslint-disable */\n// biome-ignore-all lint: generated\n// biome-ignore-all format: generated\n`
}

interface ComponentFacts {
  readonly context: TypeContext
  /** The keys of the schemas that requests contain. */
  readonly sent: ReadonlySet<string>
}

function components(document: OpenApiDocument, { context, sent }: ComponentFacts): string {
  return Object.entries(document.components?.schemas ?? {})
    .map(([key, schema]) => {
      const note = comment({ text: schema.description, isDeprecated: schema.deprecated })
      const type = writeType(schema, { ...context, isSent: sent.has(key) })
      return `${note}export type ${context.names.get(key)} = ${type};\n`
    })
    .join('\n')
}

/** Information about the whole document that the client's methods use. */
interface DocumentFacts {
  /** Returns the page parameter of an operation; `null` if the operation has no pages. */
  readonly parameterOf: (operation: ClientOperation) => PageParameter | null
  /** Returns the members of a call that specify the required credentials, and the version in `Accept`. */
  readonly securityOf: (operation: ClientOperation) => object
}

function securityMember(
  { operation, isProtected }: ClientOperation,
  {
    schemes,
    document,
  }: { readonly schemes: ClientSchemes | null; readonly document: OpenApiDocument },
): object {
  if (schemes === null) return isProtected ? { isProtected } : {}
  const security = alternativesOf(operation, { schemes, document })
  return security.length === 0 ? {} : { security }
}

function client(operations: readonly ClientOperation[], facts: DocumentFacts): string {
  const groups = new Map<string, ClientOperation[]>()
  for (const operation of operations) {
    groups.set(operation.group, [...(groups.get(operation.group) ?? []), operation])
  }
  const bodies = [...groups].map(
    ([group, members]) =>
      `    ${propertyKey(group)}: {\n${members.map((each) => method(each, facts)).join('')}    },\n`,
  )
  const note = comment({
    text: 'Creates a client. Its methods resolve with the documented responses. They reject with the error of fetch, or with an UnexpectedResponseError.',
  })
  const made = [
    ...(operations.every(streams) ? [] : ['const send = sender(options);']),
    ...(operations.some(streams) ? ['const stream = streamer(options);'] : []),
  ]
  const send = operations.length === 0 ? 'sender(options);' : made.join('\n  ')
  return `${note}export function createClient(options: ClientOptions) {\n  ${send}\n  return {\n${bodies.join('')}  };\n}\n\nexport type Client = ReturnType<typeof createClient>;\n`
}

function method(operation: ClientOperation, { parameterOf, securityOf }: DocumentFacts): string {
  const parameter = parameterOf(operation)
  const { summary, description, deprecated } = operation.operation
  const texts = [...new Set([summary, description])].filter((text) => text !== undefined)
  const note = comment(
    {
      text: [...texts, `${operation.method} ${operation.path}`].join('\n\n'),
      isDeprecated: deprecated,
    },
    '      ',
  )
  const call = methodCall(operation, callOf(operation, securityOf(operation)))
  const value = parameter === null ? call : withAll(operation, parameter, call)
  return `${note}      ${propertyKey(operation.name)}: ${value},\n`
}

/** Adds the method that reads all pages, such as `client.orders.list.all()`. */
function withAll(operation: ClientOperation, parameter: PageParameter, call: string): string {
  const key = JSON.stringify(operation.id)
  const all = `(input${optionalMark(operation)}: Input<${key}>) => readAll<PageItem<${key}>>(list, "${parameter}", input)`
  return `withAll(\n        ${call},\n        (list) => ${all},\n      )`
}

/**
 * Returns the method of an operation, as TypeScript code.
 *
 * @param sent The properties of the operation in the generated client.
 */
function methodCall(operation: ClientOperation, sent: string): string {
  const key = JSON.stringify(operation.id)
  const input = `input${optionalMark(operation)}: Input<${key}>`
  const offers = offeredBodies(operation)
  if (offers.length === 0) {
    const call = sentBy(operation, sent)
    return `(${input}): Promise<Result<${key}>> =>\n        ${call}`
  }
  // TypeScript uses the first matching signature, so signatures that specify a type come first.
  const failures = `Extract<Result<${key}>, { ok: false }>`
  const overloads = offers.map(
    ({ accept, result }) =>
      `          (input: Input<${key}> & { accept: ${accept} }): Promise<${result} | ${failures}>;\n`,
  )
  const type = `{\n${overloads.join('')}          (${input}): Promise<Result<${key}>>;\n        }`
  return `((${input}) =>\n        ${sentBy(operation, sent)}) as ${type}`
}

function sentBy(operation: ClientOperation, sent: string): string {
  const input = conditionOf(operation) === undefined ? 'input' : 'conditional(input)'
  if (isRepeatable(operation)) return `repeated((keyed) => send(${sent}, keyed), ${input})`
  return `${streams(operation) ? 'stream' : 'send'}(${sent}, ${input})`
}

function optionalMark(operation: ClientOperation): string {
  return isInputRequired(operation) ? '' : '?'
}

function isInputRequired({ parameters, operation }: ClientOperation): boolean {
  return (
    // Cookies are sent by the browser or the caller's `fetch`.
    parameters.some(({ in: place, required }) => place !== 'cookie' && required === true) ||
    operation.requestBody?.required === true
  )
}

/** Returns the properties that the client needs to send a request. Properties with default values are omitted. */
function callOf(
  { method, path, parameters, fixed, operation, responses, ownErrors }: ClientOperation,
  security: object,
): string {
  const styles = parameters.flatMap((parameter) => {
    const style = parameter.in === 'query' ? styleOf(parameter) : null
    return style === null ? [] : [[parameter.name, style] as const]
  })
  const content = operation.requestBody?.content ?? {}
  const enveloped = responses.filter(({ isEnveloped }) => isEnveloped).map(({ status }) => status)
  const plain = responses
    .filter(({ response }) => !promisesJson(response))
    .map(({ status }) => status)
  const streamed = streamTypes({ responses })
  const call = {
    method,
    path,
    ...(styles.length > 0 && { query: Object.fromEntries(styles) }),
    ...(Object.keys(content).length > 0 && { body: preferredContent(content)[0] }),
    ...(Object.keys(fixed).length > 0 && { fixed }),
    statuses: responses.map(({ status }) => status),
    ...(plain.length > 0 && { plain }),
    ...(enveloped.length > 0 && { enveloped }),
    ...(offeredBodies({ responses }).length > 0 && { offers: true }),
    ...(ownErrors !== null && { ownErrors: true }),
    ...security,
    ...(streamed.length > 0 && { stream: acceptOf(streamed) }),
  }
  const members = Object.entries(call).map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
  return `{ ${members.join(', ')} }`
}

function streams(operation: ClientOperation): boolean {
  return streamTypes(operation).length > 0
}

/** Returns the media types in which an operation streams its items. */
function streamTypes({ responses }: Pick<ClientOperation, 'responses'>): string[] {
  return responses.flatMap(({ response: { content = {} } }) =>
    Object.keys(content).filter((type) => content[type]?.['x-item-schema'] !== undefined),
  )
}

/**
 * Returns the `Accept` header for a stream. It prefers events, because only an event stream can continue after a broken
 * connection. It accepts all other types too, because errors are JSON.
 */
function acceptOf(types: readonly string[]): string {
  const isEvents = (type: string) => type === 'text/event-stream'
  const sorted = [...types].sort((a, b) => Number(isEvents(b)) - Number(isEvents(a)))
  return [...sorted.map((type, index) => `${type};q=${1 - index / 10}`), '*/*;q=0.1'].join(', ')
}

function promisesJson({ content = {} }: OpenApiResponse): boolean {
  return Object.keys(content).length > 0 && isJson(preferredContent(content)[0])
}

/** Returns the style of a query parameter; `null` for the default, which is `form` and exploded. */
function styleOf({ style, explode }: OpenApiParameter): string | null {
  if (style === 'deepObject') return 'deepObject'
  return explode === false ? 'list' : null
}

/** Returns the keys of the schemas that request bodies contain, including nested parts. */
function sentComponents(
  { components }: OpenApiDocument,
  operations: readonly ClientOperation[],
): ReadonlySet<string> {
  const schemas: Readonly<Record<string, unknown>> = components?.schemas ?? {}
  const sent = new Set(operations.flatMap(({ operation }) => namesIn(operation.requestBody)))
  // The loop adds names to the set that it iterates over.
  for (const name of sent) for (const part of namesIn(schemas[name])) sent.add(part)
  return sent
}

/** Returns the names of the schemas to which a part of the document refers. */
function namesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const { $ref } = value as { readonly $ref?: unknown }
  if (typeof $ref === 'string') return [componentName($ref, 'schemas')]
  return Object.values(value).flatMap(namesIn)
}

/** The query parameter that receives the `next` of a page. */
type PageParameter = 'cursor' | 'page'

/**
 * Returns the query parameter that requests the next page of an operation; `null` for an operation without pages. A
 * page is an object with the list `items` and the field `next`, which is a cursor or a page number.
 */
function pageParameter(
  { method, parameters, responses }: ClientOperation,
  document: OpenApiDocument,
): PageParameter | null {
  const found = responses.find(({ status }) => status === '200')
  const { content = {} } = found?.response ?? {}
  if (method !== 'GET' || found === undefined || Object.keys(content).length === 0) return null
  const [type, { schema }] = preferredContent(content)
  if (!isJson(type)) return null
  const whole = propertiesOf(schema, document)
  const { items, next } = found.isEnveloped ? propertiesOf(whole['data'] ?? {}, document) : whole
  if (items?.type !== 'array' || next === undefined) return null
  const has = (name: string, format?: string) =>
    parameters.some(
      (each) => each.in === 'query' && each.name === name && each.schema.format === format,
    )
  if (next.type === 'string' && has('cursor', 'cursor')) return 'cursor'
  return next.type === 'integer' && has('page') ? 'page' : null
}
