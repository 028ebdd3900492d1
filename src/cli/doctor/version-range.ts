type Version = readonly [number, number, number]

const COMPARATOR =
  /^(\^|~>?|>=|<=|>|<|=)?\s*v?(\d+|[x*])(?:\.(\d+|[x*]))?(?:\.(\d+|[x*]))?(?:[-+].*)?$/i

/**
 * Whether a version is in a range of npm, such as `^20.19.0 || >=22`.
 *
 * @returns `null` if the range cannot be read.
 */
export function isInRange(version: string, range: string): boolean | null {
  const actual = boundsOf(version)?.from
  if (actual === undefined) return null
  const results = range.split('||').map((part) => isInAll(actual, part.trim()))
  return results.includes(null) ? null : results.includes(true)
}

function isInAll(version: Version, part: string): boolean | null {
  const hyphen = /^(\S+)\s+-\s+(\S+)$/.exec(part)
  const text = hyphen === null ? part : `>=${hyphen[1]} <=${hyphen[2]}`
  const all = text.replace(/([<>=~^])\s+/g, '$1').split(/\s+/)
  const bounds = text === '' ? [] : all.map(boundsOf)
  if (bounds.includes(undefined)) return null
  return bounds.every(
    (each) =>
      each !== undefined && compare(version, each.from) >= 0 && compare(version, each.until) < 0,
  )
}

interface Bounds {
  readonly from: Version
  /** The first version after the range. */
  readonly until: Version
}

const ZERO: Version = [0, 0, 0]
const END: Version = [Number.POSITIVE_INFINITY, 0, 0]

function boundsOf(comparator: string): Bounds | undefined {
  const [, sign = '', ...parts] = COMPARATOR.exec(comparator) ?? []
  if (parts[0] === undefined) return undefined
  const given = parts.filter((part) => part !== undefined && /^\d+$/.test(part)).map(Number)
  const [major, minor = 0, patch = 0] = given
  if (major === undefined) return { from: ZERO, until: END }
  const from: Version = [major, minor, patch]
  const after = next(from, given.length)
  switch (sign) {
    case '>=':
      return { from, until: END }
    case '>':
      return { from: after, until: END }
    case '<':
      return { from: ZERO, until: from }
    case '<=':
      return { from: ZERO, until: after }
    case '^':
      return { from, until: next(from, Math.min(given.length, firstOf(from))) }
    case '~':
    case '~>':
      return { from, until: next(from, Math.min(given.length, 2)) }
    default:
      return { from, until: after }
  }
}

/** The number of parts up to the first that is not 0, which a caret keeps. */
function firstOf(version: Version): number {
  const first = version.findIndex((part) => part > 0)
  return first === -1 ? version.length : first + 1
}

/** The first version whose first `count` parts are greater. */
function next([major, minor, patch]: Version, count: number): Version {
  if (count === 1) return [major + 1, 0, 0]
  return count === 2 ? [major, minor + 1, 0] : [major, minor, patch + 1]
}

function compare(a: Version, b: Version): number {
  const at = a.findIndex((part, index) => part !== b[index])
  return at === -1 ? 0 : (a[at] as number) - (b[at] as number)
}
