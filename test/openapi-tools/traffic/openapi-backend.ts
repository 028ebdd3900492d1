import formats from 'ajv-formats'
import type { OpenApiDocument } from 'blazon'
import { OpenAPIBackend, SetMatchType } from 'openapi-backend'
import { type Answer, type Exchange, headersOf } from './exchange.js'

/** The problems that openapi-backend finds in the request and in the response of an exchange. */
export interface Verdict {
  readonly request: readonly string[]
  readonly answer: readonly string[]
}

// ajv-formats is CommonJS: its types and its values have different defaults.
const addFormats = formats as unknown as typeof formats.default

/** Makes a function that validates exchanges with openapi-backend. */
export async function createBackend(
  document: OpenApiDocument,
): Promise<(exchange: Exchange, answer: Answer) => Verdict> {
  const backend = new OpenAPIBackend({
    definition: readable(document) as never,
    strict: true,
    validate: true,
    quick: false,
    ajvOpts: { coerceTypes: false },
    customizeAjv: (ajv) => addFormats(ajv as never) as never,
    coerceTypes: true,
  })
  await backend.init()
  return (exchange, answer) => judge(backend, exchange, answer)
}

/** How often a schema may contain itself. The next level accepts any value. */
const TURNS = 3

/**
 * A document that openapi-backend can read. It reads schemas of every version as JSON Schema draft-07, in which
 * exclusive bounds are numbers (as its validator does, kogosoftwarellc/open-api#776), and does not support recursive
 * schemas. It takes each documented header for required.
 */
function readable(document: OpenApiDocument): object {
  const { schemas = {}, ...components } = withoutOptionalHeader(document.components)
  const prefix = '#/components/schemas/'
  function copy(node: unknown, within: readonly string[]): unknown {
    if (Array.isArray(node)) return node.map((member) => copy(member, within))
    if (typeof node !== 'object' || node === null) return node
    const { $ref } = node as { $ref?: unknown }
    if (typeof $ref === 'string' && $ref.startsWith(prefix)) {
      const name = $ref.slice(prefix.length)
      const isDeep = within.filter((one) => one === name).length >= TURNS
      return isDeep ? {} : copy(schemas[name], [...within, name])
    }
    const entries = Object.entries(node).map(([key, value]) => [key, copy(value, within)])
    return withNumericBounds(Object.fromEntries(entries))
  }
  return copy({ ...document, components }, []) as object
}

/** A 403 names the scopes of a token only if the token lacks one; another 403 of the operation has no such header. */
function withoutOptionalHeader(
  components: OpenApiDocument['components'],
): OpenApiDocument['components'] {
  const { responses = {} } = components
  const { InsufficientScope: response } = responses
  if (response?.headers === undefined) return components
  const { 'WWW-Authenticate': _, ...headers } = response.headers
  return { ...components, responses: { ...responses, InsufficientScope: { ...response, headers } } }
}

function withNumericBounds(schema: Record<string, unknown>): object {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, ...rest } = schema
  return {
    ...rest,
    ...bound('minimum', minimum, exclusiveMinimum),
    ...bound('maximum', maximum, exclusiveMaximum),
  }
}

function bound(name: 'minimum' | 'maximum', value: unknown, isExclusive: unknown): object {
  if (value === undefined) return {}
  const exclusive = name === 'minimum' ? 'exclusiveMinimum' : 'exclusiveMaximum'
  return { [isExclusive === true ? exclusive : name]: value }
}

function judge(backend: OpenAPIBackend, exchange: Exchange, answer: Answer): Verdict {
  const [path = '', query = ''] = exchange.path.split('?')
  const { method, json } = exchange
  const body = exchange.form === undefined ? json : partsOf(exchange.form)
  const type = exchange.form === undefined ? {} : { 'content-type': 'multipart/form-data' }
  const request = { method, path, query, body, headers: { ...headersOf(exchange), ...type } }
  const operation = backend.matchOperation(request as never)
  if (operation === undefined) return { request: ['no such operation'], answer: [] }
  const ofRequest = backend.validateRequest(request as never, operation)
  // openapi-backend supports no other media type of a response.
  const ofAnswer =
    answer.contentType === 'application/json'
      ? backend.validateResponse(answer.body, operation, answer.status)
      : { errors: [] }
  const ofHeaders = backend.validateResponseHeaders(answer.headers, operation, {
    statusCode: answer.status,
    setMatchType: SetMatchType.Superset,
  })
  return {
    request: textsOf(ofRequest.errors),
    answer: [...textsOf(ofAnswer.errors), ...textsOf(ofHeaders.errors)],
  }
}

/** A form as the object that its schema describes: files are strings. */
function partsOf(form: NonNullable<Exchange['form']>): object {
  const text = (value: unknown) => (typeof value === 'string' ? value : 'binary')
  const entries = Object.entries(form)
  return Object.fromEntries(
    entries.map(([name, value]) => [name, Array.isArray(value) ? value.map(text) : text(value)]),
  )
}

function textsOf(
  errors:
    | readonly { instancePath: string; message?: string; params?: unknown }[]
    | null
    | undefined,
): string[] {
  return (errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  )
}
