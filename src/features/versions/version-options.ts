import type { VersionOptions, VersionSettings } from '../../contracts/version.js'
import type { Problem } from '../../errors/config-error.js'
import { invalid, shown } from '../../errors/invalid.js'
import { type OptionGroup, type OptionNames, unknownOptions } from '../../errors/option-group.js'
import { invalidVersion, isVersion } from '../../model/versions.js'

type Option = VersionOptions | undefined

const NAMES: OptionNames<VersionOptions> = { by: { header: true }, default: true }

/** A token of RFC 9110, 5.6.2. */
const HEADER = /^[\w!#$%&'*+.^`|~-]+$/

/** Headers that a client sends for other reasons: their values are no versions. */
const TAKEN = ['accept', 'authorization', 'content-type', 'cookie', 'host', 'origin', 'vary']

/** The `versions` option. An unknown name is an error: a misspelt default would refuse all old clients. */
export const versionGroup: OptionGroup<Option, VersionSettings | null> = {
  unknown: (versions) => unknownOptions('versions.', versions, NAMES),
  check,
  resolve(versions) {
    if (versions === undefined) return null
    const { by, default: name = null } = versions
    if (by === 'path') return Object.freeze({ by, header: null, default: name })
    if (by === 'mediaType') return Object.freeze({ by, header: 'Accept', default: name })
    return Object.freeze({ by: 'header' as const, header: by.header, default: name })
  },
}

function check(versions: unknown): Problem[] {
  if (versions === undefined) return []
  if (typeof versions !== 'object' || versions === null || Array.isArray(versions))
    return [invalid('versions', `It is ${shown(versions)}.`, "Give { by: 'path', default: '1' }.")]
  const { by, default: name } = versions as { readonly by?: unknown; readonly default?: unknown }
  const problems: Problem[] = []
  if (by !== 'path' && by !== 'mediaType' && !hasHeader(by)) {
    const remedy = "Give 'path', 'mediaType', or { header: 'X-API-Version' }."
    problems.push(invalid('versions.by', 'It names no place of a request.', remedy))
  }
  if (name !== undefined && !isVersion(name))
    problems.push(
      invalidVersion('versions.default', `${shown(name)} is not the name of a version.`),
    )
  return problems
}

function hasHeader(by: unknown): boolean {
  const { header } = Object(by) as { readonly header?: unknown }
  return typeof header === 'string' && HEADER.test(header) && !TAKEN.includes(header.toLowerCase())
}
