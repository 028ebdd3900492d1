import type { IncomingHttpHeaders } from 'node:http'
import type { RouteModel } from '../../contracts/route-model.js'
import type { VersionSettings } from '../../contracts/version.js'

/** Returns the version that the headers of a request specify; `undefined` if they specify none. */
export type ReadVersion = (headers: IncomingHttpHeaders) => string | undefined

/** The `version` parameter of the first media range that has it, even in quotes. */
const PARAMETER = /;[\t ]*version="?([^",;\t ]*)"?/i
const PARAMETERS = new RegExp(PARAMETER, 'gi')

/** Creates the function that reads the version of a request. */
export function versionReader({ by, header }: VersionSettings): ReadVersion {
  if (by === 'mediaType') return ({ accept }) => accept?.match(PARAMETER)?.[1]
  const name = (header ?? '').toLowerCase()
  return (headers) => headers[name]?.toString()
}

/** Removes the `version` parameter, because negotiation would compare it with the media types of the route. */
export function withoutVersion(accept: string): string {
  return accept.replaceAll(PARAMETERS, '')
}

/** Returns the headers that select a route of a version, by lower-case name. */
export function versionHeaders({
  version,
  versionHeader,
}: Pick<RouteModel, 'version' | 'versionHeader'>): Readonly<Record<string, string>> {
  if (version === null || versionHeader === null) return {}
  const value = versionHeader === 'Accept' ? `application/json; version=${version}` : version
  return { [versionHeader.toLowerCase()]: value }
}
