/** A value that is neither a list nor an object, and its position. */
export interface Leaf {
  readonly value: string | number | bigint | Date
  /** The path from the root, separated by dots; empty for the root itself. */
  readonly path: string
  /** Whether the value is a JSON string. The values in the JSON are separate leaves. */
  readonly isJson?: boolean
}

/** The maximum number of leaves to collect. A body of the default maximum size contains fewer leaves. */
const MOST = 100_000

/** Collects the leaves of a value, but at most {@link MOST}. Never throws. */
export function leavesOf(root: unknown): Leaf[] {
  const leaves: Leaf[] = []
  const seen = new Set<object>()
  const waiting: [value: unknown, path: string][] = [[root, '']]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [value, path] = next
    if (isLeaf(value)) leaves.push({ value, path })
    else if (isHolder(value) && !seen.has(value)) {
      seen.add(value)
      waiting.push(...childrenOf(value, path))
    }
    if (leaves.length + waiting.length > MOST) break
  }
  return leaves
}

/**
 * Like {@link leavesOf}, for a statement parameter. If the parameter is a JSON string, also collects the values in the
 * JSON.
 */
export function leavesOfParameter(value: unknown): Leaf[] {
  const leaves = leavesOf(value)
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return leaves
  try {
    return [{ value, path: '', isJson: true }, ...leavesOf(JSON.parse(value))]
  } catch {
    return leaves
  }
}

function isLeaf(value: unknown): value is Leaf['value'] {
  return /^(?:string|number|bigint)$/.test(typeof value) || value instanceof Date
}

function isHolder(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)
}

function childrenOf(value: object, path: string): [unknown, string][] {
  try {
    const entries = Object.entries(value).slice(0, MOST)
    return entries.map(([name, child]) => [child, path === '' ? name : `${path}.${name}`])
  } catch {
    // A getter in the application's code may throw.
    return []
  }
}
