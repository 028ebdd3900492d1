import formats from 'ajv-formats'
import type { OpenApiDocument } from 'blazon'
import { OpenAPIBackend, SetMatchType } from 'openapi-backend'
import { type Answer, type Exchange, headersOf } from './exchange.js'

/** What openapi-backend has to say of an exchange: of the request, of the answer. */
export interface Verdict {
  readonly request: readonly string[]
  readonly answer: readonly string[]
}

// ajv-formats is CommonJS, whose types and values disagree on what its default is.
const addFormats = formats as unknown as typeof formats.default

/** Makes openapi-backend the judge of traffic by a document. */
export async function createBackend(
  document: OpenApiDocument,
): Promise<(exchange: Exchange, answer: Answer) => Verdict> {
  const backend = new OpenAPIBackend({
    definition: digestible(document) as never,
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

/** How often a schema may contain itself before anything goes. */
const TURNS = 3

/**
 * A document as openapi-backend can read it. It takes schemas of every version for JSON Schema draft-07, where exclusive
 * bounds are numbers (as does its validator, kogosoftwarellc/open-api#776), and walks what it has dereferenced without
 * an eye for schemas that contain themselves.
 */
function digestible(document: OpenApiDocument): object {
  const { schemas = {}, ...components } = document.components
  const prefix = '#/components/schemas/'
  function digest(node: unknown, within: readonly string[]): unknown {
    if (Array.isArray(node)) return node.map((member) => digest(member, within))
    if (typeof node !== 'object' || node === null) return node
    const { $ref } = node as { $ref?: unknown }
    if (typeof $ref === 'string' && $ref.startsWith(prefix)) {
      const name = $ref.slice(prefix.length)
      const isDeep = within.filter((one) => one === name).length >= TURNS
      return isDeep ? {} : digest(schemas[name], [...within, name])
    }
    const entries = Object.entries(node).map(([key, value]) => [key, digest(value, within)])
    return withNumericBounds(Object.fromEntries(entries))
  }
  return digest({ ...document, components }, []) as object
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
  // It knows no other media type of an answer.
  const ofAnswer =
    answer.contentType === 'application/json'
      ? backend.validateResponse(answer.body, operation, answer.status)
      : { errors: [] }
  const ofHeaders = backend.validateResponseHeaders(answer.headers, operation, {
    statusCode: answer.status,
    setMatchType: SetMatchType.Superset,
  })
  return {
    request: said(ofRequest.errors),
    answer: [...said(ofAnswer.errors), ...said(ofHeaders.errors)],
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

function said(
  errors:
    | readonly { instancePath: string; message?: string; params?: unknown }[]
    | null
    | undefined,
): string[] {
  return (errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  )
}
