import type { OpenApiMediaType } from '../../contracts/openapi-3-0.js'
import { breaking, compatible, type LocalChange } from './change.js'
import { compareSchemas } from './compare-schemas.js'
import type { Comparison, Pair, Side } from './resolve-schema.js'

/** The schemas of a body, by media type. */
export type Content = Readonly<Record<string, OpenApiMediaType>>

/** The place of a body in the operation. */
export interface BodyPlace {
  readonly side: Side
  readonly location: string
}

/**
 * Compares two bodies. In a request, a range in the current document can cover the older media type; in a response, a
 * range in the older document can cover the current media type.
 */
export function compareContent(
  { base, current }: Pair<Content>,
  { side, location }: BodyPlace,
  comparison: Comparison,
): LocalChange[] {
  const covered = new Set<string>()
  const kept = Object.entries(base).flatMap(([type, older]) => {
    const exact = Object.keys(current).filter((other) => essenceOf(other) === essenceOf(type))
    const isWithin = (other: string) =>
      side === 'request' ? isInRange(type, other) : isInRange(other, type)
    const types = exact.length > 0 ? exact : Object.keys(current).filter(isWithin)
    if (types.length === 0) {
      return [breaking('content-type-removed', location, `The content type ${type} was removed.`)]
    }
    return types.flatMap((other) => {
      covered.add(other)
      const newer = current[other] as OpenApiMediaType
      const pair = schemasOf({ base: older, current: newer })
      return [
        ...compareBodyLimit({ base: older, current: newer }, `${location} ${type}`),
        ...compareSchemas({ ...pair, side, location: `${location} › ` }, comparison),
      ]
    })
  })
  const fresh = Object.keys(current).filter((type) => !covered.has(type))
  return [
    ...kept,
    ...fresh.map((type) =>
      compatible('content-type-added', location, `The content type ${type} is new.`),
    ),
  ]
}

/** Returns a media type without parameters. Media types are case-insensitive (RFC 9110, section 8.3.1). */
function essenceOf(type: string): string {
  return (type.split(';', 1)[0] as string).trim().toLowerCase()
}

function isInRange(type: string, range: string): boolean {
  const [main, sub] = essenceOf(range).split('/', 2)
  return sub === '*' && (main === '*' || essenceOf(type).startsWith(`${main}/`))
}

/**
 * Returns the schemas of two bodies. For streams, returns the schemas of the items, because the schemas of the whole
 * body depend on the OpenAPI version.
 */
function schemasOf({ base, current }: Pair<OpenApiMediaType>) {
  const items = { base: base['x-item-schema'], current: current['x-item-schema'] }
  if (items.base !== undefined && items.current !== undefined) {
    return { base: items.base, current: items.current }
  }
  return { base: base.schema ?? {}, current: current.schema ?? {} }
}

/**
 * Compares the size limits of bodies. A document without a limit may come from an older version of this package, so a
 * new limit does not count as a change.
 */
export function compareBodyLimit(
  { base, current }: Pair<{ readonly 'x-max-body-bytes'?: number }>,
  location: string,
): LocalChange[] {
  const [from, to] = [base['x-max-body-bytes'], current['x-max-body-bytes']]
  if (from === undefined || to === undefined || from === to) return []
  const message = `The maximum body size was ${from} bytes and is now ${to} bytes.`
  return to < from
    ? [breaking('body-limit-lowered', location, message)]
    : [compatible('body-limit-raised', location, message)]
}
