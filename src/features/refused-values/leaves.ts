/** A value that is neither a list nor an object, and its position. */
export interface Leaf {
  readonly value: string | number | bigint | Date
  /** The path from the root, with dots; empty for the root itself. */
  readonly path: string
  /** Whether the text is JSON. The values in the JSON are separate leaves. */
  readonly isJson?: boolean
}

/** The maximum number of leaves to collect: more than a body of the default size contains. */
const MOST = 100_000

/** Collects the parts of a value that may be statement values: at most {@link MOST} leaves. Never throws. */
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
 * Like {@link leavesOf}, for a parameter of a statement. A parameter may be JSON text, whose values are also collected.
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
    // A getter of the application may throw.
    return []
  }
}
