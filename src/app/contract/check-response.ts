import type { ContractViolation, ViolationKind } from '../../contracts/contract-violation.js'
import type {
  OpenApiDocument,
  OpenApiHeader,
  OpenApiMediaType,
  OpenApiResponse,
  OpenApiSchema,
  Reference,
} from '../../contracts/openapi.js'
import { shorten } from '../../schema/mismatches.js'
import type { FindMismatches } from '../../schema/response-validator.js'
import type { DocumentedOperation } from './documented-by-route.js'
import { type Exchange, isJson } from './exchange.js'

/** Statuses whose responses have no body, regardless of the document (RFC 9110, section 15). */
const BODILESS = [204, 205, 304]
/**
 * Statuses that Node sends before the operation is known, because the request took too long or its headers are too
 * large.
 */
const OF_THE_PROTOCOL = [408, 431]

/** The documented operation, and the compiler for its schemas. */
export interface CheckConfig {
  readonly documented: DocumentedOperation
  /** The result of {@link documentedStatus}. */
  readonly key: string | undefined
  readonly compile: (schema: OpenApiSchema) => FindMismatches
}

type Finding = Pick<ContractViolation, 'kind' | 'path' | 'expected' | 'got'> &
  Partial<Pick<ContractViolation, 'remedy'>>

/** Returns the key of the response that describes a status; `undefined` if the operation documents no such response. */
export function documentedStatus(
  { operation }: DocumentedOperation,
  status: number,
): string | undefined {
  const exact = String(status)
  if (Object.hasOwn(operation.responses, exact)) return exact
  const others = [`${Math.floor(status / 100)}XX`, 'default']
  return others.find((key) => Object.hasOwn(operation.responses, key))
}

/** Returns every difference between a response and its document. */
export function checkResponse(exchange: Exchange, config: CheckConfig): ContractViolation[] {
  const findings = findingsOf(exchange, config)
  if (findings.length === 0) return []
  const { documented } = config
  const { name: operation, operationId, handler } = documented
  const { status } = exchange
  const remedy = `Correct the handler, or its description: @ApiResponseDoc({ status: ${status}, … }).`
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
      ([name, header]) =>
        isRequired(header, documented.document) && !(name.toLowerCase() in exchange.headers),
    )
    .map(([path]): Finding => ({ kind: 'header', path, expected: 'to be present', got: 'nothing' }))
  if (BODILESS.includes(status) || content === undefined) return missing
  const contentConfig = { ...config, isHead: method === 'HEAD', isOpen: key === '2XX' }
  return [...missing, ...checkContent(exchange, content, contentConfig)]
}

function isRequired(header: OpenApiHeader | Reference, { components }: OpenApiDocument): boolean {
  if (!('$ref' in header)) return header.required === true
  const name = header.$ref.replace('#/components/headers/', '')
  return components.headers?.[name]?.required === true
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
 * Whether an undocumented status breaks the contract of an operation. The rule is the same for test requests and for
 * `fuzz`. An operation that documents only `2XX` specifies nothing about redirects or errors.
 */
function breaksContract(status: number, responses: object): boolean {
  const isOpen = Object.hasOwn(responses, '2XX') && status >= 300
  return !isOpen && !OF_THE_PROTOCOL.includes(status)
}

/** Checks a response with an undocumented status. Errors must have the error envelope in any case. */
function undocumented(exchange: Exchange, config: CheckConfig): Finding[] {
  const { status } = exchange
  const { responses } = config.documented.operation
  // A 304 means that the client's copy is still valid; the document describes that copy.
  if (status === 304) return []
  const findings = status >= 400 ? checkEnvelope(exchange, config) : []
  if (!breaksContract(status, responses)) return findings
  const remedy = `Document it: @ApiResponseDoc({ status: ${status}, description: '…' }).`
  const expected = `one of ${Object.keys(responses).join(', ')}`
  return [{ kind: 'status', path: '', expected, got: String(status), remedy }, ...findings]
}

function checkEnvelope(exchange: Exchange, { compile, documented }: CheckConfig): Finding[] {
  if (exchange.method === 'HEAD') return []
  const { errors } = documented
  const type = essenceOf(exchange.headers['content-type'])
  const remedy = 'Throw an error, such as new NotFoundError(…), or call next(error).'
  if (!isJson(type)) {
    return [{ kind: 'envelope', path: '', expected: 'JSON', got: type || 'no body', remedy }]
  }
  const find = errors.find(type, compile)
  if (find === undefined) {
    const expected = errors.types.join(' or ')
    return [{ kind: 'content-type', path: '', expected, got: type, remedy }]
  }
  const check = { kind: 'envelope', find, hasStatus: !errors.isOwn } as const
  const envelope = errors.isOwn ? null : 'error'
  return checkBody(exchange, { ...check, envelope }).map((finding) => ({ ...finding, remedy }))
}

interface ContentConfig extends CheckConfig {
  readonly isHead: boolean
  /** Whether the operation documents success only as `2XX`, without the data of the response. */
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
    if (isBareRedirect(exchange, content)) return []
    const isOtherError = exchange.status >= 400 && config.documented.errors.types.includes(type)
    if (isOtherError) return checkEnvelope(exchange, config)
    const expected = Object.keys(content).join(' or ')
    const remedy = `Correct the handler, or document it: @ApiResponseDoc({ status: ${exchange.status}, contentType: '${type}', … }).`
    const finding = { kind: 'content-type', path: '', expected, got: type || 'no body' } as const
    return [type === '' ? finding : { ...finding, remedy }]
  }
  // The body of a stream, HTML page or file is not checked: only its media type is documented, and a stream can be
  // endless.
  if (config.isHead || !isJson(type)) return []
  const find = config.compile(found.schema)
  const { hasEnvelope, errors } = config.documented
  const hasStatus = exchange.status >= 400 ? !errors.isOwn : hasEnvelope
  const check = { kind: 'body', find, hasStatus } as const
  if (!config.isOpen || !hasEnvelope) return checkBody(exchange, { ...check, envelope: null })
  const remedy =
    'Return the data or use this.ok(…); or document the body that is sent: @ApiResponseDoc({ raw: true, schema, … }).'
  return checkBody(exchange, { ...check, envelope: 'success' }).map((finding) => ({
    ...finding,
    remedy,
  }))
}

/**
 * Whether a response is a redirect by `@Redirect` or `res.redirect` for a client that accepts neither HTML nor text.
 * Express sends such a redirect without a body.
 */
function isBareRedirect({ status, headers }: Exchange, content: object): boolean {
  const isRedirect = status >= 300 && status < 400 && headers.location !== undefined
  return isRedirect && headers['content-type'] === undefined && 'text/plain' in content
}

/** Looks for the exact type, then for a range such as `text/*`, then for the range of all types. */
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

/** Removes the parameters of a media type. */
function essenceOf(type = ''): string {
  return (type.split(';', 1)[0] as string).trim().toLowerCase()
}

interface BodyCheck {
  readonly kind: ViolationKind
  readonly find: FindMismatches
  /** The expected envelope; `null` for bare data. */
  readonly envelope: 'success' | 'error' | null
  /** Whether the body is in the framework's own envelope, which has a `status`. */
  readonly hasStatus: boolean
}

function checkBody({ body, status }: Exchange, check: BodyCheck): Finding[] {
  const { kind, find, envelope, hasStatus } = check
  let value: unknown
  try {
    value = JSON.parse(body ?? '')
  } catch {
    return [{ kind, path: '', expected: 'JSON', got: shorten(JSON.stringify(body)) }]
  }
  const mismatches = find(value)
  if (mismatches.length === 0 || envelope === null || isEnvelope(value)) {
    const found = mismatches.map((mismatch) => ({ kind, ...mismatch }))
    return found.length > 0 || !hasStatus || saysStatus(value, status)
      ? found
      : [otherStatus(kind, value, status)]
  }
  // Report one mismatch for the whole body instead of one for every missing envelope field.
  const expected = `the ${envelope} envelope`
  return [{ kind, path: '', expected, got: shorten(JSON.stringify(value)) }]
}

/**
 * Whether the `status` in an envelope equals the status of the response. The schema cannot check it, because
 * one schema serves several statuses.
 */
function saysStatus(value: unknown, status: number): boolean {
  const { statusCode, status: sent } = Object(value) as Readonly<Record<string, unknown>>
  return !['success', 'error'].includes(String(statusCode)) || Number(sent ?? status) === status
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

/** Whether a body looks like an envelope or an RFC 9457 problem. */
function isEnvelope(value: unknown): boolean {
  return typeof value === 'object' && value !== null && ('statusCode' in value || 'detail' in value)
}
