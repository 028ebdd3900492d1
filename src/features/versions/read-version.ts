import type { IncomingHttpHeaders } from 'node:http'
import type { RouteModel } from '../../contracts/route-model.js'
import type { VersionSettings } from '../../contracts/version.js'

/** Returns the version that a request's headers specify; `undefined` if they specify no version. */
export type ReadVersion = (headers: IncomingHttpHeaders) => string | undefined

/** Matches the `version` parameter of the first media range that contains it, with or without quotes. */
const PARAMETER = /;[\t ]*version="?([^",;\t ]*)"?/i
const PARAMETERS = new RegExp(PARAMETER, 'gi')

/** Creates the function that reads the version of a request. */
export function versionReader({ by, header }: VersionSettings): ReadVersion {
  if (by === 'mediaType') return ({ accept }) => accept?.match(PARAMETER)?.[1]
  const name = (header ?? '').toLowerCase()
  return (headers) => headers[name]?.toString()
}

/** Removes the `version` parameter, because content negotiation would compare it with the route's media types. */
export function withoutVersion(accept: string): string {
  return accept.replaceAll(PARAMETERS, '')
}

/** Returns the headers that select the route of a version, by lower-case name. */
export function versionHeaders({
  version,
  versionHeader,
}: Pick<RouteModel, 'version' | 'versionHeader'>): Readonly<Record<string, string>> {
  if (version === null || versionHeader === null) return {}
  const value = versionHeader === 'Accept' ? `application/json; version=${version}` : version
  return { [versionHeader.toLowerCase()]: value }
}
