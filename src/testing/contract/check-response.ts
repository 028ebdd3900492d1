import type {
  OpenApiDocument,
  OpenApiMediaType,
  OpenApiResponse,
  OpenApiSchema,
  Reference,
} from '../../contracts/openapi.js'
import { ERROR_BODIES } from '../../openapi/envelopes.js'
import { shorten } from '../../schema/mismatches.js'
import type { FindMismatches } from '../../schema/response-validator.js'
import { type Exchange, isJson } from '../exchange.js'
import type { DocumentedOperation } from './documented-operations.js'
import type { ContractViolation, ViolationKind } from './violation.js'

const PROBLEM = 'application/problem+json'
/** Statuses of answers that have no body, whatever is documented (RFC 9110, 15). */
const BODILESS = [204, 205, 304]
/** Given before there is an operation: too many headers, and too slow a request. */
const OF_THE_PROTOCOL = [408, 431]

/** What is documented, and what makes schemas callable. */
export interface CheckConfig {
  readonly documented: DocumentedOperation
  /** Of {@link documentedStatus}. */
  readonly key: string | undefined
  readonly compile: (schema: OpenApiSchema) => FindMismatches
}

type Finding = Pick<ContractViolation, 'kind' | 'path' | 'expected' | 'got'> &
  Partial<Pick<ContractViolation, 'remedy'>>

/** The key of the response that describes a status; `undefined` when none does. */
export function documentedStatus(
  { operation }: DocumentedOperation,
  status: number,
): string | undefined {
  const exact = String(status)
  if (Object.hasOwn(operation.responses, exact)) return exact
  const others = [`${Math.floor(status / 100)}XX`, 'default']
  return others.find((key) => Object.hasOwn(operation.responses, key))
}

/** Everything in an answer that is not as its document says. */
export function checkResponse(exchange: Exchange, config: CheckConfig): ContractViolation[] {
  const findings = findingsOf(exchange, config)
  if (findings.length === 0) return []
  const { documented } = config
  const { name: operation, operationId, handler } = documented
  const { status } = exchange
  const remedy = `Correct the handler, or what describes it: @ApiResponseDoc({ status: ${status}, … }).`
  return findings.map((finding) => ({
    operation,
    operationId,
    handler,
    status,
    remedy,
    ...finding,
  }))
}

function findingsOf(exchange: Exchange, config: CheckConfig): Finding[] {
  const { documented, key } = config
  const { status, method } = exchange
  const response = key === undefined ? undefined : documented.operation.responses[key]
  if (response === undefined) return undocumented(exchange, config)
  const { headers = {}, content } = resolve(response, documented.document)
  const missing = Object.entries(headers)
    .filter(
      ([name, { required }]) => required === true && !(name.toLowerCase() in exchange.headers),
    )
    .map(([path]): Finding => ({ kind: 'header', path, expected: 'to be there', got: 'nothing' }))
  if (BODILESS.includes(status) || content === undefined) return missing
  const contentConfig = { ...config, isHead: method === 'HEAD', isOpen: key === '2XX' }
  return [...missing, ...checkContent(exchange, content, contentConfig)]
}

function resolve(
  response: OpenApiResponse | Reference,
  { components }: OpenApiDocument,
): OpenApiResponse {
  if (!('$ref' in response)) return response
  const name = response.$ref.replace('#/components/responses/', '')
  return components.responses?.[name] ?? { description: '' }
}

/**
 * Whether a status that no response of an operation describes breaks its contract: one rule for whatever a test asks, and for
 * `fuzz`. An operation that declares no success has promised nothing of errors and redirects either.
 */
function breaksContract(status: number, responses: object): boolean {
  const isOpen = Object.hasOwn(responses, '2XX') && status >= 300
  return !isOpen && !OF_THE_PROTOCOL.includes(status)
}

/** Errors have the envelope in any case. */
function undocumented(exchange: Exchange, config: CheckConfig): Finding[] {
  const { status } = exchange
  const { responses } = config.documented.operation
  // A client's own copy is still the documented one.
  if (status === 304) return []
  const findings = status >= 400 ? checkEnvelope(exchange, config) : []
  if (!breaksContract(status, responses)) return findings
  const remedy = `Document it: @ApiResponseDoc({ status: ${status}, description: '…' }).`
  const expected = `one of ${Object.keys(responses).join(', ')}`
  return [{ kind: 'status', path: '', expected, got: String(status), remedy }, ...findings]
}

function checkEnvelope(exchange: Exchange, { compile }: CheckConfig): Finding[] {
  if (exchange.method === 'HEAD') return []
  const type = essenceOf(exchange.headers['content-type'])
  const [envelope, problem] = ERROR_BODIES
  const schema = type === PROBLEM ? problem : envelope
  const remedy = 'Send errors by throwing: new NotFoundError(…), next(error).'
  if (!isJson(type)) {
    return [{ kind: 'envelope', path: '', expected: 'JSON', got: type || 'no body', remedy }]
  }
  const check = { kind: 'envelope', find: compile(schema), envelope: 'error' } as const
  return checkBody(exchange, check).map((finding) => ({ ...finding, remedy }))
}

interface ContentConfig extends CheckConfig {
  readonly isHead: boolean
  /** Whether nothing is documented but that it is a success. */
  readonly isOpen: boolean
}

function checkContent(
  exchange: Exchange,
  content: NonNullable<OpenApiResponse['content']>,
  config: ContentConfig,
): Finding[] {
  const type = essenceOf(exchange.headers['content-type'])
  const found = mediaTypeOf(content, type)
  if (found === undefined) {
    if (type === PROBLEM && exchange.status >= 400) return checkEnvelope(exchange, config)
    const expected = Object.keys(content).join(' or ')
    const remedy = `Correct the handler, or document it: @ApiResponseDoc({ status: ${exchange.status}, contentType: '${type}', … }).`
    const finding = { kind: 'content-type', path: '', expected, got: type || 'no body' } as const
    return [type === '' ? finding : { ...finding, remedy }]
  }
  // Streams, pages and files are what their media type says; nobody waits for their end.
  if (config.isHead || !isJson(type)) return []
  const find = config.compile(found.schema)
  if (!config.isOpen) return checkBody(exchange, { kind: 'body', find, envelope: null })
  const remedy =
    'Return the data or use this.ok(…); or document what is sent: @ApiResponseDoc({ raw: true, schema, … }).'
  return checkBody(exchange, { kind: 'body', find, envelope: 'success' }).map((finding) => ({
    ...finding,
    remedy,
  }))
}

/** The exact type, then `text/*`, then anything. */
function mediaTypeOf(
  content: NonNullable<OpenApiResponse['content']>,
  type: string,
): OpenApiMediaType | undefined {
  const wanted = [type, `${type.split('/')[0]}/*`, '*/*']
  const entries = Object.entries(content)
  return wanted
    .map((each) => entries.find(([documented]) => essenceOf(documented) === each)?.[1])
    .find((mediaType) => mediaType !== undefined)
}

/** A media type without its parameters. */
function essenceOf(type = ''): string {
  return (type.split(';', 1)[0] as string).trim().toLowerCase()
}

interface BodyCheck {
  readonly kind: ViolationKind
  readonly find: FindMismatches
  /** Which envelope is expected; `null` where none is. */
  readonly envelope: 'success' | 'error' | null
}

function checkBody({ body, status }: Exchange, { kind, find, envelope }: BodyCheck): Finding[] {
  let value: unknown
  try {
    value = JSON.parse(body ?? '')
  } catch {
    return [{ kind, path: '', expected: 'JSON', got: shorten(JSON.stringify(body)) }]
  }
  const mismatches = find(value)
  if (mismatches.length === 0 || envelope === null || isEnvelope(value)) {
    const found = mismatches.map((mismatch) => ({ kind, ...mismatch }))
    return found.length > 0 || saysStatus(value, status)
      ? found
      : [otherStatus(kind, value, status)]
  }
  // One line, instead of one for every field of it.
  const expected = `the ${envelope} envelope`
  return [{ kind, path: '', expected, got: shorten(JSON.stringify(value)) }]
}

/** Whether an envelope names the status that it was sent with; schemas of several statuses cannot say which. */
function saysStatus(value: unknown, status: number): boolean {
  const { statusCode, status: said } = Object(value) as Readonly<Record<string, unknown>>
  return !['success', 'error'].includes(String(statusCode)) || Number(said ?? status) === status
}

function otherStatus(kind: ViolationKind, value: unknown, status: number): Finding {
  const { status: got } = value as { status: unknown }
  return {
    kind,
    path: 'status',
    expected: `${status}, the status of the response`,
    got: String(got),
  }
}

/** Whether a body at least means to be an envelope, or a problem. */
function isEnvelope(value: unknown): boolean {
  return typeof value === 'object' && value !== null && ('statusCode' in value || 'detail' in value)
}
