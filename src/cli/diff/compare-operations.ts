import type {
  OpenApiMediaType,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiResponse,
  OpenApiSecurityScheme,
  Reference,
  SecurityRequirement,
} from '../../contracts/openapi-3-0.js'
import { resolveResponse } from '../resolve-response.js'
import { breaking, compatible, type LocalChange } from './change.js'
import { compareSchemas } from './compare-schemas.js'
import type { Comparison, Side } from './schema-pair.js'

/** The same item in both documents. */
interface Pair<T> {
  readonly base: T
  readonly current: T
}

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
  const message = `The operation id was ${base.operationId ?? 'none'} and is ${current.operationId ?? 'none'}: methods of generated clients are renamed.`
  return [
    ...(isRenamed ? [compatible('operation-id-changed', '', message)] : []),
    ...(isDeprecated
      ? [compatible('operation-deprecated', '', 'The operation is deprecated now.')]
      : []),
  ]
}

/** Credentials that were enough for the older document must be enough for the newer one. */
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
    return [breaking('security-added', 'security', `It requires ${needed} now.`)]
  }
  const isLoosened = JSON.stringify(from) !== JSON.stringify(to)
  const message = 'It requires less than before, or accepts more kinds of credentials.'
  return isLoosened ? [compatible('security-loosened', 'security', message)] : []
}

/**
 * The lists of schemes that are each enough for access. An operation without requirements needs an empty
 * list. A scheme counts as what a client sends for it, whatever its name is.
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

/** What a client sends for a scheme; the name of a scheme that the document does not describe. */
function sentAs(name: string, scheme: OpenApiSecurityScheme | undefined): string {
  if (scheme === undefined) return name
  const { type, scheme: own = '', in: place, name: key } = scheme
  if (type === 'apiKey') return `the ${place} ${place === 'header' ? key?.toLowerCase() : key}`
  // Both are sent as a bearer token, and a client gets that token in its own way.
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
      return [breaking('parameter-removed', location, 'The parameter is gone.')]
    }
    return current?.required === true
      ? [breaking('required-parameter-added', location, 'The parameter is new, and required.')]
      : [compatible('parameter-added', location, 'The parameter is new.')]
  })
}

/**
 * The parameters by location and name. Path parameters are compared by position, because a URL does not
 * contain their names.
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
  const style = ({ style: own, explode, in: place }: OpenApiParameter) => {
    const known = own ?? (place === 'query' ? 'form' : 'simple')
    return `${known}, explode ${explode ?? known === 'form'}`
  }
  const isStyled = style(base) !== style(current)
  const message = `It was written as ${style(base)}, and is as ${style(current)}.`
  return [
    ...compareRequired({ base, current }, location),
    ...(isStyled ? [breaking('parameter-style-changed', location, message)] : []),
    ...compareSchemas(
      { base: base.schema, current: current.schema, side: 'request', location: `${location} › ` },
      comparison,
    ),
  ]
}

function compareRequired(
  { base, current }: Pair<{ readonly required?: boolean }>,
  location: string,
): LocalChange[] {
  if (base.required === current.required) return []
  if (current.required === true) {
    return [breaking('input-required', location, 'It was optional and is required.')]
  }
  return base.required === true
    ? [compatible('input-optional', location, 'It was required and is optional.')]
    : []
}

function compareBodies(pair: Pair<OpenApiOperation>, comparison: Comparison): LocalChange[] {
  const { requestBody: base } = pair.base
  const { requestBody: current } = pair.current
  if (base === undefined && current === undefined) return []
  if (current === undefined) return [breaking('body-removed', 'body', 'The body is gone.')]
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

type Content = Readonly<Record<string, OpenApiMediaType>>

interface Place {
  readonly side: Side
  readonly location: string
}

function compareContent(
  { base, current }: Pair<Content>,
  { side, location }: Place,
  comparison: Comparison,
): LocalChange[] {
  const fresh = Object.keys(current).filter((type) => base[type] === undefined)
  return [
    ...Object.entries(base).flatMap(([type, older]) => {
      const newer = current[type]
      if (newer === undefined) {
        return [breaking('content-type-removed', location, `The content type ${type} is gone.`)]
      }
      const pair = schemasOf({ base: older, current: newer })
      return [
        ...compareBodyLimit({ base: base[type] ?? {}, current: newer }, `${location} ${type}`),
        ...compareSchemas({ ...pair, side, location: `${location} › ` }, comparison),
      ]
    }),
    ...fresh.map((type) =>
      compatible('content-type-added', location, `The content type ${type} is new.`),
    ),
  ]
}

/** Of a stream, the schemas of its items: those of the whole body differ with the version of OpenAPI. */
function schemasOf({ base, current }: Pair<OpenApiMediaType>) {
  const items = { base: base['x-item-schema'], current: current['x-item-schema'] }
  if (items.base !== undefined && items.current !== undefined) {
    return { base: items.base, current: items.current }
  }
  return { base: base.schema ?? {}, current: current.schema ?? {} }
}

function compareResponses(
  { base, current }: Pair<OpenApiOperation>,
  comparison: Comparison,
): LocalChange[] {
  const fresh = Object.keys(current.responses).filter((status) => !(status in base.responses))
  return [
    ...Object.entries(base.responses).flatMap(([status, response]) => {
      const location = `response ${status}`
      const newer = responseFor(status, current)
      if (newer === undefined) {
        return [breaking('response-removed', location, 'The response is gone.')]
      }
      const pair = {
        base: resolveResponse(response, comparison.base),
        current: resolveResponse(newer, comparison.current),
      }
      return compareResponse(pair, location, comparison)
    }),
    ...fresh.map((status) =>
      compatible('response-added', `response ${status}`, 'The response is new.'),
    ),
  ]
}

/** The current response that covers a status. `200` may now be part of `2XX` or `default`. */
function responseFor(
  status: string,
  { responses }: OpenApiOperation,
): OpenApiResponse | Reference | undefined {
  return responses[status] ?? responses[`${status.charAt(0)}XX`] ?? responses['default']
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
    ...gone.map((name) => breaking('header-removed', location, `The header ${name} is gone.`)),
    ...compareContent(content, { side: 'response', location }, comparison),
  ]
}

/** A document that states no size may be of an older version: a size that is new in it is no change. */
function compareBodyLimit(
  { base, current }: Pair<{ readonly 'x-max-body-bytes'?: number }>,
  location: string,
): LocalChange[] {
  const [from, to] = [base['x-max-body-bytes'], current['x-max-body-bytes']]
  if (from === undefined || to === undefined || from === to) return []
  const message = `The largest body was ${from} bytes and is ${to} bytes.`
  return to < from
    ? [breaking('body-limit-lowered', location, message)]
    : [compatible('body-limit-raised', location, message)]
}
