import { MAX_ISSUES } from '../max-issues.js'
import { type Internals, isZodNode, type Payload, type Run } from './zod-node.js'

/** The number of properties that are parsed together, before the issues are counted. */
const AT_ONCE = 64

/**
 * Makes a record stop after {@link MAX_ISSUES} issues. Zod parses all properties of a record, so here it
 * receives small records, one after the other. The checks of the record still receive the whole record. A
 * record with a fixed set of keys stays unchanged.
 */
export function boundRecord(internals: Internals): void {
  const { keyType } = internals.def
  if (isZodNode(keyType) && keyType._zod.values !== undefined) return
  let { parse } = internals
  const parseInParts: Run = (payload, context) => {
    const keys = isRecord(payload.value) ? Reflect.ownKeys(payload.value) : []
    if (keys.length <= AT_ONCE) return parse(payload, context)
    const parts = partsOf(payload.value as Record<PropertyKey, unknown>, keys)
    payload.value = {}
    return parseNext(parts, payload, (part) => parse(part, context))
  }
  // Zod assigns another `parse` when it finds that no value can contain itself here.
  Object.defineProperty(internals, 'parse', {
    configurable: true,
    get: () => parseInParts,
    set(changed: Run) {
      parse = changed
    },
  })
}

function* partsOf(
  record: Readonly<Record<PropertyKey, unknown>>,
  keys: readonly PropertyKey[],
): Generator<Payload, undefined> {
  for (let start = 0; start < keys.length; start += AT_ONCE) {
    const value: Record<PropertyKey, unknown> = {}
    for (const key of keys.slice(start, start + AT_ONCE)) {
      const isOwn = Object.prototype.propertyIsEnumerable.call(record, key)
      if (isOwn && key !== '__proto__') value[key] = record[key]
    }
    yield { value, issues: [] }
  }
}

function parseNext(
  parts: Generator<Payload, undefined>,
  whole: Payload,
  parse: (part: Payload) => Payload | Promise<Payload>,
): Payload | Promise<Payload> {
  for (;;) {
    const { value: part } = parts.next()
    if (part === undefined) return whole
    const parsed = parse(part)
    if (parsed instanceof Promise) {
      return parsed.then((settled) =>
        add(settled, whole) ? whole : parseNext(parts, whole, parse),
      )
    }
    if (add(parsed, whole)) return whole
  }
}

/** Adds the result of one part. Returns whether there are enough issues. */
function add({ value, issues }: Payload, whole: Payload): boolean {
  Object.assign(whole.value as object, value)
  for (const issue of issues) whole.issues.push(issue)
  return whole.issues.length >= MAX_ISSUES
}

function isRecord(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
