import type {
  OpenApiDocument,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiRequestBody,
  OpenApiResponse,
  OpenApiSchema,
  OpenApiSecurityScheme,
  SecurityRequirement,
} from '../../contracts/openapi-3-0.js'
import { resolveResponse } from '../component-reference.js'
import { breaking, compatible, type LocalChange } from './change.js'
import { compareBodyLimit, compareContent } from './compare-content.js'
import { compareSchemas } from './compare-schemas.js'
import { type Comparison, type Pair, resolveSchema } from './resolve-schema.js'

/** Compares the requests that an operation accepts and the responses that it sends. */
export function compareOperations(
  pair: Pair<OpenApiOperation>,
  comparison: Comparison,
): LocalChange[] {
  return [
    ...compareNames(pair),
    ...compareSecurity(pair, comparison),
    ...compareParameters(pair, comparison),
    ...compareBodies(pair, comparison),
    ...compareResponses(pair, comparison),
  ]
}

function compareNames({ base, current }: Pair<OpenApiOperation>): LocalChange[] {
  const isRenamed = base.operationId !== current.operationId
  const isDeprecated = base.deprecated !== true && current.deprecated === true
  const message = `The operation ID was ${base.operationId ?? 'none'} and is now ${current.operationId ?? 'none'}: methods of generated clients are renamed.`
  return [
    ...(isRenamed ? [compatible('operation-id-changed', '', message)] : []),
    ...(isDeprecated
      ? [compatible('operation-deprecated', '', 'The operation is now deprecated.')]
      : []),
  ]
}

/**
 * Compares security. Credentials that are sufficient for the older document must also be sufficient for the newer
 * document.
 */
function compareSecurity(
  { base, current }: Pair<OpenApiOperation>,
  comparison: Comparison,
): LocalChange[] {
  const from = alternatives(base.security, comparison.base)
  const to = alternatives(current.security, comparison.current)
  const isEnough = (held: readonly string[]) =>
    to.some((needed) => needed.every((scheme) => held.includes(scheme)))
  if (!from.every(isEnough)) {
    const needed = to.map((schemes) => schemes.join(' and ')).join(', or ')
    return [breaking('security-added', 'security', `The operation now requires ${needed}.`)]
  }
  const isLoosened = JSON.stringify(from) !== JSON.stringify(to)
  const message = 'The operation now requires less, or accepts more kinds of credentials.'
  return isLoosened ? [compatible('security-loosened', 'security', message)] : []
}

/**
 * Returns lists of schemes. Each list is sufficient for access. For an operation without requirements, the only list is
 * empty. A scheme is identified by the credential that a client sends, not by its name.
 */
function alternatives(
  own: readonly SecurityRequirement[] | undefined,
  { security: ofAll, components }: Comparison['base'],
): string[][] {
  const security = own ?? ofAll
  if (security === undefined || security.length === 0) return [[]]
  const schemes = components?.securitySchemes ?? {}
  return security.map((requirement) =>
    Object.entries(requirement).flatMap(([name, scopes]) => {
      const scheme = sentAs(name, schemes[name])
      return [scheme, ...scopes.map((scope) => `the scope ${scope} of ${scheme}`)]
    }),
  )
}

/**
 * Returns the credential that a client sends for a scheme, or the scheme's name if the document does not describe the
 * scheme.
 */
function sentAs(name: string, scheme: OpenApiSecurityScheme | undefined): string {
  if (scheme === undefined) return name
  const { type, scheme: own = '', in: place, name: key } = scheme
  if (type === 'apiKey') return `the ${place} ${place === 'header' ? key?.toLowerCase() : key}`
  // Other types, such as `oauth2`, are identified by their names, because their tokens can come from different servers.
  return type === 'http' ? `${own.toLowerCase()} authorization` : `${type} (${name})`
}

function compareParameters(pair: Pair<OpenApiOperation>, comparison: Comparison): LocalChange[] {
  const [from, to] = [parametersOf(pair.base), parametersOf(pair.current)]
  return [...new Set([...from.keys(), ...to.keys()])].flatMap((key) => {
    const [base, current] = [from.get(key), to.get(key)]
    const { in: place, name } = (base ?? current) as OpenApiParameter
    const location = `${place} parameter ${name}`
    if (base !== undefined && current !== undefined) {
      return compareParameter({ base, current }, location, comparison)
    }
    if (base !== undefined) {
      return [breaking('parameter-removed', location, 'The parameter was removed.')]
    }
    return current?.required === true
      ? [breaking('required-parameter-added', location, 'The parameter is new, and required.')]
      : [compatible('parameter-added', location, 'The parameter is new.')]
  })
}

/**
 * Returns the parameters by location and name. Path parameters are compared by position, because URLs do not contain
 * their names.
 */
function parametersOf({ parameters = [] }: OpenApiOperation): Map<string, OpenApiParameter> {
  let position = 0
  return new Map(
    parameters.map((parameter) => {
      const { in: place, name } = parameter
      const known = place === 'path' ? String(position++) : name
      return [`${place} ${place === 'header' ? known.toLowerCase() : known}`, parameter]
    }),
  )
}

function compareParameter(
  { base, current }: Pair<OpenApiParameter>,
  location: string,
  comparison: Comparison,
): LocalChange[] {
  const schemas = { base: schemaOf(base), current: schemaOf(current) }
  const isOne =
    isScalar(schemas.base, comparison.base) && isScalar(schemas.current, comparison.current)
  const style = ({ style: own, explode, in: place }: OpenApiParameter) => {
    const known = own ?? (place === 'query' || place === 'cookie' ? 'form' : 'simple')
    // A single value is encoded in the same way with and without `explode`.
    return isOne ? known : `${known}, explode ${explode ?? known === 'form'}`
  }
  const isStyled = style(base) !== style(current)
  const message = `The parameter was serialized as ${style(base)}, and is now serialized as ${style(current)}.`
  return [
    ...compareRequired({ base, current }, location),
    ...(isStyled ? [breaking('parameter-style-changed', location, message)] : []),
    ...compareSchemas({ ...schemas, side: 'request', location: `${location} › ` }, comparison),
  ]
}

/** Returns the schema of a parameter. Documents from other tools can have the schema in `content`. */
function schemaOf(parameter: OpenApiParameter): OpenApiSchema {
  const { schema, content = {} } = parameter as Partial<OpenApiParameter & OpenApiRequestBody>
  return schema ?? Object.values(content)[0]?.schema ?? {}
}

function isScalar(schema: OpenApiSchema, document: OpenApiDocument): boolean {
  const { type } = resolveSchema(schema, document)
  return type !== undefined && type !== 'array' && type !== 'object'
}

function compareRequired(
  { base, current }: Pair<{ readonly required?: boolean }>,
  location: string,
): LocalChange[] {
  if (base.required === current.required) return []
  if (current.required === true) {
    return [breaking('input-required', location, 'It was optional and is now required.')]
  }
  return base.required === true
    ? [compatible('input-optional', location, 'It was required and is now optional.')]
    : []
}

function compareBodies(pair: Pair<OpenApiOperation>, comparison: Comparison): LocalChange[] {
  const { requestBody: base } = pair.base
  const { requestBody: current } = pair.current
  if (base === undefined && current === undefined) return []
  if (current === undefined) return [breaking('body-removed', 'body', 'The body was removed.')]
  if (base === undefined) {
    return current.required === true
      ? [breaking('required-body-added', 'body', 'The body is new, and required.')]
      : [compatible('body-added', 'body', 'The body is new.')]
  }
  const content = { base: base.content, current: current.content }
  return [
    ...compareRequired({ base, current }, 'body'),
    ...compareContent(content, { side: 'request', location: 'body' }, comparison),
  ]
}

/**
 * Compares an operation's responses. In the current document, `2XX` or `default` can include a status that was listed
 * separately, and the statuses of a range can be listed separately.
 */
function compareResponses(
  { base, current }: Pair<OpenApiOperation>,
  comparison: Comparison,
): LocalChange[] {
  const kept = Object.entries(base.responses).flatMap(([status, response]) => {
    const newer = statusesFor(status, { base, current }).map(
      (each) =>
        [each, resolveResponse(current.responses[each] ?? NONE, comparison.current)] as const,
    )
    if (newer.length === 0) {
      return [breaking('response-removed', `response ${status}`, 'The response was removed.')]
    }
    const older = resolveResponse(response, comparison.base)
    return withContent(newer).flatMap(([each, to]) => {
      const location = `response ${isRange(each) ? status : each}`
      return compareResponse({ base: older, current: to }, location, comparison)
    })
  })
  const fresh = Object.keys(current.responses).filter((status) => !(status in base.responses))
  return [
    ...kept,
    ...fresh.map((status) =>
      compatible('response-added', `response ${status}`, 'The response is new.'),
    ),
  ]
}

const NONE: OpenApiResponse = { description: '' }

function isRange(status: string): boolean {
  return !/^\d{3}$/.test(status)
}

/** Returns the statuses of the current document that describe the same responses as a status of the older document. */
function statusesFor(status: string, { base, current }: Pair<OpenApiOperation>): string[] {
  const { responses } = current
  const family = `${status.charAt(0)}XX`
  if (!isRange(status)) {
    return [status, family, 'default'].filter((each) => each in responses).slice(0, 1)
  }
  const isOfRange = (each: string) =>
    status === 'default' || each.toUpperCase() === status || each.charAt(0) === status.charAt(0)
  const parts = Object.keys(responses).filter(
    (each) => each === status || (isOfRange(each) && !isDescribed(each, base, status)),
  )
  return parts.length > 0 ? parts : ['default'].filter((each) => each in responses)
}

/** Whether the older document describes a status more specifically than through this range. */
function isDescribed(status: string, { responses }: OpenApiOperation, range: string): boolean {
  const closer = [status, ...(range === 'default' ? [`${status.charAt(0)}XX`] : [])]
  return closer.some((each) => each !== range && each in responses)
}

type Described = readonly [status: string, response: OpenApiResponse]

/** Removes responses without a body from a range's description, because they do not affect the other responses. */
function withContent(responses: readonly Described[]): readonly Described[] {
  const full = responses.filter(([, { content = {} }]) => Object.keys(content).length > 0)
  return full.length > 0 ? full : responses
}

function compareResponse(
  { base, current }: Pair<OpenApiResponse>,
  location: string,
  comparison: Comparison,
): LocalChange[] {
  const names = new Set(Object.keys(current.headers ?? {}).map((name) => name.toLowerCase()))
  const gone = Object.keys(base.headers ?? {}).filter((name) => !names.has(name.toLowerCase()))
  const content = { base: base.content ?? {}, current: current.content ?? {} }
  return [
    ...compareBodyLimit({ base, current }, location),
    ...gone.map((name) => breaking('header-removed', location, `The header ${name} was removed.`)),
    ...compareContent(content, { side: 'response', location }, comparison),
  ]
}
