import type { OpenApiOperation, OpenApiResponse } from '../../contracts/openapi-3-0.js'
import { resolveResponse } from '../resolve-response.js'
import { breaking, compatible, type LocalChange } from './change.js'
import { compareBodyLimit, compareContent } from './compare-content.js'
import type { Comparison, Pair } from './schema-pair.js'

/**
 * Compares the responses of an operation. A status may now be part of `2XX` or `default`, and the responses of a range may
 * now be described one by one.
 */
export function compareResponses(
  { base, current }: Pair<OpenApiOperation>,
  comparison: Comparison,
): LocalChange[] {
  const kept = Object.entries(base.responses).flatMap(([status, response]) => {
    const newer = statusesFor(status, { base, current }).map(
      (each) =>
        [each, resolveResponse(current.responses[each] ?? NONE, comparison.current)] as const,
    )
    if (newer.length === 0) {
      return [breaking('response-removed', `response ${status}`, 'The response is gone.')]
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

/** The current statuses that replace the description of an older status. */
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

/** Whether the older document describes a status by another response than by this range. */
function isDescribed(status: string, { responses }: OpenApiOperation, range: string): boolean {
  const closer = [status, ...(range === 'default' ? [`${status.charAt(0)}XX`] : [])]
  return closer.some((each) => each !== range && each in responses)
}

type Described = readonly [status: string, response: OpenApiResponse]

/** A range is described by its responses together: responses without a body take nothing from the others. */
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
    ...gone.map((name) => breaking('header-removed', location, `The header ${name} is gone.`)),
    ...compareContent(content, { side: 'response', location }, comparison),
  ]
}
