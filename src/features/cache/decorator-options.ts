import { validateHeaderName } from 'node:http'
import type { CacheDecoratorOptions } from '../../contracts/cache.js'
import { invalid, type Problem, shown } from '../../errors/config-error.js'
import { type OptionNames, unknownNames } from '../../errors/option-group.js'
import { toSeconds } from '../../http/units.js'

/**
 * The number of seconds from which a multiple of 1000 causes a warning. The author probably meant milliseconds, which
 * other libraries use.
 */
const SUSPICIOUS_FROM = 3600

const NAMES: OptionNames<CacheDecoratorOptions> = {
  ttl: true,
  key: 'sync',
  shared: true,
  tags: 'sync',
  staleWhileRevalidate: true,
  headers: true,
}

/** Checks the options of one `@Cache`. */
export function checkOptions(options: Partial<CacheDecoratorOptions> | undefined): Problem[] {
  if (typeof options !== 'object' || options === null) {
    return [invalid('', 'It was called without options.', "Pass at least { ttl: '60s' }.")]
  }
  const { ttl, staleWhileRevalidate, key, shared, tags, headers } = options
  const problems = unknownNames('', options, NAMES)
  const refuse = (cause: string, remedy: string) => problems.push(invalid('', cause, remedy))
  for (const [name, value] of Object.entries({ ttl, staleWhileRevalidate })) {
    if (value === undefined && name !== 'ttl') continue
    if (!isDuration(value)) {
      refuse(
        `Its ${name} is ${shown(value)}, which is not a duration.`,
        "Pass seconds (0 or more), or a string such as '90s'.",
      )
    } else problems.push(...checkUnit(name, value))
  }
  if (key !== undefined && typeof key !== 'function') {
    refuse('Its key is not a function.', 'Pass (req) => string.')
  }
  if (shared !== undefined && typeof shared !== 'boolean') {
    refuse('Its option `shared` is not a boolean.', 'Pass true or false.')
  }
  if (tags !== undefined && typeof tags !== 'function' && !isStrings(tags)) {
    refuse('Its tags are not a list of strings.', 'Pass strings, or (req) => strings.')
  }
  if (headers !== undefined && !(isStrings(headers) && headers.every(isKeepable))) {
    refuse(
      'Its headers are not a list of valid header names, or they contain Set-Cookie.',
      "Pass names such as 'X-Total-Count'. Set-Cookie is never cached.",
    )
  }
  return problems
}

function isDuration(value: unknown): value is number | string {
  const isReadable = typeof value === 'number' || typeof value === 'string'
  return isReadable && toSeconds(value) !== undefined
}

function checkUnit(name: string, value: number | string): Problem[] {
  const isSuspicious = typeof value === 'number' && value >= SUSPICIOUS_FROM && value % 1000 === 0
  if (!isSuspicious) return []
  return [
    {
      code: 'W_CACHE_UNIT',
      subject: '',
      cause: `Its ${name} is ${value} seconds, which is ${hoursOf(value)} hours.`,
      remedy: `Did you mean '${value / 1000}s'? If not, write '${value}s'.`,
    },
  ]
}

function hoursOf(seconds: number): number {
  return Math.round(seconds / 360) / 10
}

function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}

function isKeepable(name: string): boolean {
  try {
    validateHeaderName(name)
  } catch {
    return false
  }
  return name.toLowerCase() !== 'set-cookie'
}
