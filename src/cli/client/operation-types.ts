import type {
  OpenApiMediaType,
  OpenApiParameter,
  OpenApiRequestBody,
  OpenApiResponse,
} from '../../contracts/openapi-3-0.js'
import {
  type ClientOperation,
  type ClientResponse,
  conditionOf,
  isJson,
  preferredContent,
} from './client-operation.js'
import { comment, propertyKey } from './identifiers.js'
import { type TypeContext, union, writeProperty, writeType } from './write-type.js'

/** Returns the input and result types of every operation. */
export function operationTypes(
  operations: readonly ClientOperation[],
  context: TypeContext,
): string {
  const inner = { ...context, indent: '    ' }
  const members = operations.map((operation) => {
    const lines = `    input: ${inputType(operation, inner)};\n    result:${resultType(operation, inner)};\n`
    return `  ${propertyKey(operation.id)}: {\n${lines}  };\n`
  })
  // Other types index `Operations`, which must have a member to compile.
  const none = '  [id: string]: { input: RequestOptions; result: never };\n'
  return `/** The input and the result of each operation, by operation id. */\nexport type Operations = {\n${members.join('') || none}};\n`
}

function inputType(operation: ClientOperation, context: TypeContext): string {
  const inner = { ...context, indent: '      ' }
  const members = [
    parametersMember({ key: 'params', location: 'path' }, operation, inner),
    parametersMember({ key: 'query', location: 'query' }, operation, inner),
    parametersMember({ key: 'headers', location: 'header' }, withoutCondition(operation), inner),
    ifMatchMember(operation, inner),
    bodyMember(operation, inner),
  ].filter((member) => member !== '')
  const bodies = bodyAlternatives(operation, inner)
  if (members.length === 0) return `RequestOptions${bodies}`
  return `RequestOptions & {\n${members.join('')}    }${bodies}`
}

function withoutCondition(operation: ClientOperation): ClientOperation {
  const condition = conditionOf(operation)
  return { ...operation, parameters: operation.parameters.filter((each) => each !== condition) }
}

function ifMatchMember(operation: ClientOperation, { indent }: TypeContext): string {
  const condition = conditionOf(operation)
  if (condition === undefined) return ''
  const note = comment({ text: condition.description }, indent)
  return `${note}${indent}${member('ifMatch', 'string', condition.required !== true)}`
}

interface ParameterGroup {
  readonly key: string
  readonly location: OpenApiParameter['in']
}

function parametersMember(
  { key, location }: ParameterGroup,
  { parameters }: ClientOperation,
  context: TypeContext,
): string {
  const inner = { ...context, indent: `${context.indent}  `, isSent: true }
  const members = parameters
    .filter((parameter) => parameter.in === location)
    .map(({ name, schema, required = false, description, deprecated }) =>
      writeProperty(
        {
          name,
          schema:
            schema.$ref === undefined
              ? { ...schema, ...defined({ description, deprecated }) }
              : schema,
          isOptional: !required,
        },
        inner,
      ),
    )
  if (members.length === 0) return ''
  const isOptional = !parameters.some(({ in: place, required }) => place === location && required)
  return `${context.indent}${member(key, `{\n${members.join('')}${context.indent}}`, isOptional)}`
}

function defined<T extends object>(facts: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(facts).filter(([, value]) => value !== undefined),
  ) as Partial<T>
}

function member(key: string, type: string, isOptional: boolean): string {
  return isOptional ? `${key}?: ${type} | undefined;\n` : `${key}: ${type};\n`
}

function bodyMember({ operation }: ClientOperation, context: TypeContext): string {
  const { requestBody } = operation
  const [content] = Object.entries(requestBody?.content ?? {})
  if (requestBody === undefined || content === undefined || hasChoice(requestBody)) return ''
  const [type, media] = preferredContent(requestBody.content)
  const note = comment({ text: requestBody.description }, context.indent)
  const body = member('body', bodyType(type, media, context), requestBody.required !== true)
  return `${note}${context.indent}${body}`
}

/** Whether the caller must specify the media type, because there are several, or a range such as `image/*`. */
function hasChoice({ content }: OpenApiRequestBody): boolean {
  const types = Object.keys(content)
  return types.length > 1 || types.some((type) => type.includes('*'))
}

/** Returns one member of a union for each media type. A caller can omit only the preferred media type. */
function bodyAlternatives({ operation }: ClientOperation, context: TypeContext): string {
  const { requestBody } = operation
  if (requestBody === undefined || !hasChoice(requestBody)) return ''
  const { content, required } = requestBody
  const [preferred] = preferredContent(content)
  const members = Object.entries(content).map(([type, media]) => {
    const body = `body: ${bodyType(type, media, context)}`
    const isRange = type.includes('*')
    const isOptional = type === preferred && !isRange
    const name = isRange ? 'string' : JSON.stringify(type)
    return `{ ${body}; contentType${isOptional ? `?: ${name} | undefined` : `: ${name}`} }`
  })
  if (required !== true) members.push('{ body?: undefined }')
  return ` & (\n${members.map((each) => `${context.indent}| ${each}\n`).join('')}    )`
}

function bodyType(type: string, { schema }: OpenApiMediaType, context: TypeContext): string {
  const sent = { ...context, isSent: true }
  if (type === 'multipart/form-data') {
    return union([writeType(schema, { ...sent, binary: 'Blob' }), 'FormData'])
  }
  if (isJson(type)) return writeType(schema, sent)
  if (type === 'application/x-www-form-urlencoded') {
    return union([writeType(schema, sent), 'URLSearchParams'])
  }
  if (type.startsWith('text/')) return 'string'
  return 'NonNullable<RequestInit["body"]>'
}

function resultType(operation: ClientOperation, context: TypeContext): string {
  const { responses } = operation
  const inner = { ...context, indent: '      ' }
  const named = responses.flatMap(({ status }) => (/^\d+$/.test(status) ? [status] : []))
  // Responses that differ only in their status become one member of the union.
  const members = new Map<string, ResponseType & { statuses: string[] }>()
  for (const type of responses.flatMap((each) => responseTypes(each, named, inner))) {
    const key = `${type.kind} ${type.body}`
    const member = members.get(key) ?? { ...type, statuses: [] }
    members.set(key, member)
    member.statuses.push(type.status)
  }
  const texts = [...members.values()].map(
    ({ kind, statuses, body }) => `${kind}<${statuses.join(' | ')}, ${body}>`,
  )
  return [...texts, ...undocumented(operation, inner)].map((text) => `\n      | ${text}`).join('')
}

interface ResponseType {
  readonly kind: 'Success' | 'Enveloped' | 'Failure'
  /** The status as a TypeScript type. */
  readonly status: string
  readonly body: string
}

function responseTypes(
  { status, response, isEnveloped }: ClientResponse,
  named: readonly string[],
  context: TypeContext,
): ResponseType[] {
  const body = responseBody(response, context)
  if (status === 'default') {
    return [
      { kind: 'Success', status: 'number', body },
      { kind: 'Failure', status: 'number', body },
    ]
  }
  const kind = isEnveloped ? 'Enveloped' : /^[45]/.test(status) ? 'Failure' : 'Success'
  const bare = status === '2XX' ? BARE.filter((each) => !named.includes(each)) : []
  const first: ResponseType = { kind, status: statusType(status, [...named, ...bare]), body }
  return [
    first,
    ...bare.map((each) => ({ kind: 'Success' as const, status: each, body: 'undefined' })),
  ]
}

/** The success statuses without a body (RFC 9110, 15.3.5 and 15.3.6). */
const BARE = ['204', '205']

/** Returns the type of a status. A class such as `4XX` excludes the statuses that the document lists separately. */
function statusType(status: string, named: readonly string[]): string {
  if (!/^[1-5]XX$/.test(status)) return status
  const others = named.filter((each) => each.startsWith(status.charAt(0)))
  return others.length === 0 ? `Status${status}` : `Exclude<Status${status}, ${others.join(' | ')}>`
}

/** Returns the result types for undocumented errors, which a handler can also throw. */
function undocumented({ responses, ownErrors }: ClientOperation, context: TypeContext): string[] {
  const statuses = responses.map(({ status }) => status)
  if (statuses.includes('default')) return []
  const open = ['4XX', '5XX'].filter((each) => !statuses.includes(each))
  if (open.length === 0) return []
  const known = statuses.filter((each) => open.some((name) => each.startsWith(name.charAt(0))))
  const all = open.map((name) => `Status${name}`).join(' | ')
  const others = known.length === 0 ? all : `Exclude<${all}, ${known.join(' | ')}>`
  const body = ownErrors === null ? 'UndocumentedError' : writeType(ownErrors, context)
  return [`Failure<${others}, ${body}>`]
}

/** A body that a caller requests by specifying its media type. */
export interface OfferedBody {
  /** The media types, as a TypeScript union. */
  readonly accept: string
  /** The result, as a TypeScript union. */
  readonly result: string
}

/** Lists the success bodies that an operation offers in addition to JSON, one for each TypeScript type. */
export function offeredBodies({ responses }: Pick<ClientOperation, 'responses'>): OfferedBody[] {
  const named = responses.flatMap(({ status }) => (/^\d+$/.test(status) ? [status] : []))
  const found = new Map<string, { accept: Set<string>; result: Set<string> }>()
  for (const { status, response } of responses) {
    const types = Object.keys(response.content ?? {})
    if (!status.startsWith('2') || !types.some(isJson)) continue
    for (const type of types.filter((each) => !isJson(each))) {
      const body = plainBody(type)
      const offer = found.get(body) ?? { accept: new Set(), result: new Set() }
      offer.accept.add(JSON.stringify(type))
      offer.result.add(`Success<${statusType(status, named)}, ${body}>`)
      found.set(body, offer)
    }
  }
  return [...found.values()].map(({ accept, result }) => ({
    accept: [...accept].join(' | '),
    result: [...result].join(' | '),
  }))
}

/**
 * Returns the type of a response body. The client's `Accept` header prefers JSON, so if a response is available as
 * JSON, its other media types are omitted.
 */
function responseBody({ content = {} }: OpenApiResponse, context: TypeContext): string {
  const types = Object.keys(content)
  if (types.length === 0) return 'undefined'
  const [item] = Object.values(content).flatMap((media) => media['x-item-schema'] ?? [])
  if (item !== undefined) return `Stream<${writeType(item, context)}>`
  const [type, { schema }] = preferredContent(content)
  if (isJson(type)) return writeType(schema, context)
  return union(types.map(plainBody))
}

function plainBody(type: string): string {
  if (type.startsWith('text/event-stream')) return 'Response["body"]'
  return type.startsWith('text/') ? 'string' : 'Blob'
}
