import type { VersionOptions, VersionSettings } from '../../contracts/version.js'
import { invalid, type Problem, shown } from '../../errors/config-error.js'
import { type OptionGroup, type OptionNames, unknownOptions } from '../../errors/option-group.js'
import { deprecationMistake } from '../../model/deprecation.js'
import { invalidVersion, isVersion } from '../../model/versions.js'

type Option = VersionOptions | undefined

const NAMES: OptionNames<VersionOptions> = {
  by: { header: true },
  default: true,
  deprecated: true,
}

/** A token as defined in RFC 9110, 5.6.2. */
const HEADER = /^[\w!#$%&'*+.^`|~-]+$/

/** Headers that clients send for other purposes. Their values are not versions. */
const TAKEN = ['accept', 'authorization', 'content-type', 'cookie', 'host', 'origin', 'vary']

/**
 * The `versions` option. An unknown name causes an error, because with a misspelt `default`, all old clients would be
 * refused.
 */
export const versionGroup: OptionGroup<Option, VersionSettings | null> = {
  unknown: (versions) => unknownOptions('versions.', versions, NAMES),
  check,
  resolve(versions) {
    if (versions === undefined) return null
    const { by, default: name = null, deprecated = {} } = versions
    const shared = { default: name, deprecated }
    if (by === 'path') return Object.freeze({ by, header: null, ...shared })
    if (by === 'mediaType') return Object.freeze({ by, header: 'Accept', ...shared })
    return Object.freeze({ by: 'header' as const, header: by.header, ...shared })
  },
}

function check(versions: unknown): Problem[] {
  if (versions === undefined) return []
  if (typeof versions !== 'object' || versions === null || Array.isArray(versions))
    return [invalid('versions', `It is ${shown(versions)}.`, "Pass { by: 'path', default: '1' }.")]
  const { by, default: name, deprecated } = versions as Readonly<Record<string, unknown>>
  const problems: Problem[] = []
  if (by !== 'path' && by !== 'mediaType' && !hasHeader(by)) {
    const remedy = "Pass 'path', 'mediaType', or { header: 'X-API-Version' }."
    problems.push(
      invalid('versions.by', 'It specifies no valid place for the version in a request.', remedy),
    )
  }
  if (name !== undefined && !isVersion(name))
    problems.push(invalidVersion('versions.default', `${shown(name)} is not a version name.`))
  return [...problems, ...wrongEnds(deprecated)]
}

function wrongEnds(deprecated: unknown): Problem[] {
  if (deprecated === undefined) return []
  const remedy =
    "Pass the deprecated versions: { '1': { since: '2026-01-01', sunset: '2026-12-31' } }."
  if (typeof deprecated !== 'object' || deprecated === null || Array.isArray(deprecated))
    return [invalid('versions.deprecated', `It is ${shown(deprecated)}.`, remedy)]
  return Object.entries(deprecated).flatMap(([name, options]) => {
    const mistake = deprecationMistake(options)
    return mistake === undefined ? [] : [invalid(`versions.deprecated['${name}']`, mistake, remedy)]
  })
}

function hasHeader(by: unknown): boolean {
  const { header } = Object(by) as { readonly header?: unknown }
  return typeof header === 'string' && HEADER.test(header) && !TAKEN.includes(header.toLowerCase())
}
