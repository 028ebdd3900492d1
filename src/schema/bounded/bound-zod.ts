import type { StandardSchemaV1 } from '@standard-schema/spec'
import { MAX_ISSUES, WorkLimit } from '../work-limit.js'

/**
 * The fields whose schemas zod runs once for each item or property of the value. The client determines the number of
 * runs, within the body limit.
 */
const REPEATED: Readonly<Record<string, readonly string[]>> = {
  array: ['element'],
  tuple: ['rest'],
  map: ['keyType', 'valueType'],
  set: ['valueType'],
  object: ['catchall'],
}

const WRAPPERS = 'optional nullable default prefault catch readonly nonoptional success promise'

/**
 * The fields whose schemas zod runs once, or a number of times that the schema itself determines. The `valueType` of a
 * record is also listed here, because {@link boundRecord} limits records. Types that are not listed contain no schemas
 * that zod runs while it parses a value.
 */
const SINGLE: Readonly<Record<string, readonly string[]>> = {
  array: [],
  map: [],
  set: [],
  object: [],
  lazy: [],
  tuple: ['items'],
  record: ['valueType'],
  union: ['options'],
  intersection: ['left', 'right'],
  pipe: ['in', 'out'],
  ...Object.fromEntries(WRAPPERS.split(' ').map((type) => [type, ['innerType']])),
}

const known = new WeakMap<object, StandardSchemaV1>()

/**
 * Returns a copy of a schema in which a list or another container skips its remaining parts after {@link MAX_ISSUES}
 * invalid parts. Otherwise, zod collects 50,000 issues for 50,000 invalid items, each with the issues of all
 * alternatives of a union. The first issues and the result for a valid value are the same, and no user code runs twice.
 * The schema itself does not change: containers and the schemas that lead to them are built again from their
 * definitions, and all other schemas are shared.
 */
export function boundZod(schema: StandardSchemaV1): StandardSchemaV1 {
  const bounded = known.get(schema) ?? tryToBuild(schema)
  known.set(schema, bounded)
  return bounded
}

/** If a user's own schema class cannot be built from its definition, the schema is used unchanged. */
function tryToBuild(schema: StandardSchemaV1): StandardSchemaV1 {
  if (!isZodNode(schema)) return schema
  try {
    return new TwinBuilder().twinOf(schema) as unknown as StandardSchemaV1
  } catch {
    return schema
  }
}

/** The state of one container while zod parses it. */
class Container {
  /** The number of invalid parts so far. */
  wrong = 0
  /** Whether parts were skipped. */
  isLeft = false
  /** The parts with an asynchronous check that is still running. */
  readonly running: Promise<unknown>[] = []
}

/**
 * The maximum number of parts of a container that are checked asynchronously at the same time. Each of 50,000 items
 * could have a check that queries a database.
 */
const AT_ONCE = 100

/**
 * Calls are counted only at depths greater than this, which only recursive schemas reach. At smaller depths, work that
 * doubles at each level is acceptable.
 */
const FEW_LEVELS = 16

class TwinBuilder {
  readonly #twins = new Map<ZodNode, ZodNode>()
  readonly #work = new WorkLimit()
  #depth = 0

  twinOf(node: ZodNode): ZodNode {
    const twin = this.#twins.get(node) ?? this.#build(node)
    this.#twins.set(node, twin)
    return twin
  }

  #build(node: ZodNode): ZodNode {
    const { def, constr } = node._zod
    const names = SINGLE[def.type]
    if (names === undefined) return node
    const scope: { container: Container } = { container: new Container() }
    // Copies the descriptors, because a default can be a getter that creates a new value on each call.
    const { _cachedInner, ...descriptors } = Object.getOwnPropertyDescriptors(def) as Record<
      string,
      PropertyDescriptor
    >
    if (def.type === 'object') descriptors['shape'] = constant(this.#shapeOf(def))
    if (def.type === 'lazy') descriptors['getter'] = constant(() => this.#innerOf(node))
    for (const name of names) descriptors[name] = constant(this.#mapped(def[name]))
    for (const name of REPEATED[def.type] ?? []) {
      const part = def[name]
      if (isZodNode(part)) descriptors[name] = constant(stopping(this.twinOf(part), scope))
    }
    const twin = new constr(Object.defineProperties({}, descriptors) as Def)
    this.#watch(twin._zod, def.type in REPEATED ? scope : undefined)
    if (def.type === 'record') boundRecord(twin._zod)
    return twin
  }

  #innerOf({ _zod: { innerType, def } }: ZodNode): ZodNode {
    return this.twinOf(innerType ?? (def['getter'] as () => ZodNode)())
  }

  /** Uses getters, because a recursive schema refers to itself in its shape. */
  #shapeOf(def: Def): object {
    const shape = def['shape'] as Record<PropertyKey, ZodNode>
    const twins = {}
    for (const key of Reflect.ownKeys(shape)) {
      const node = shape[key] as ZodNode
      const isLeaf = SINGLE[node._zod.def.type] === undefined
      const get = () => this.twinOf(node)
      const descriptor = isLeaf
        ? constant(this.twinOf(node))
        : { get, enumerable: true, configurable: true }
      Object.defineProperty(twins, key, descriptor)
    }
    return twins
  }

  #mapped(part: unknown): unknown {
    if (Array.isArray(part)) return part.map((each: ZodNode) => this.twinOf(each))
    return isZodNode(part) ? this.twinOf(part) : part
  }

  /** Wraps `run` to count the calls and to create a state for each container value. */
  #watch(internals: Internals, scope: { container: Container } | undefined): void {
    // Without checks, `run` is the same function as `parse`. Zod can replace `parse` later, so the current `parse` is
    // read at each call.
    const run: Run =
      internals.run === internals.parse
        ? (payload, context) => internals.parse(payload, context)
        : internals.run
    internals.run = (payload, context) => {
      if (this.#depth === 0) this.#work.begin(payload.value)
      if (this.#depth > FEW_LEVELS && --this.#work.left < 0) this.#work.extend()
      const outer = scope?.container
      if (scope !== undefined) scope.container = new Container()
      this.#depth++
      try {
        return run(payload, context)
      } finally {
        if (--this.#depth === 0) this.#work.end()
        if (scope !== undefined) scope.container = outer as Container
      }
    }
  }
}

/**
 * Wraps the schema of a part. The part is skipped once its container has enough invalid parts. While {@link AT_ONCE}
 * asynchronous parts are running, the next part waits for the oldest one.
 */
function stopping(part: ZodNode, scope: { readonly container: Container }): ZodNode {
  function runUnlessEnough(payload: Payload, context: object, container: Container) {
    if (container.wrong >= MAX_ISSUES) return passOver(payload, container)
    const result = part._zod.run(payload, context)
    if (result instanceof Promise) return result.then((settled) => noted(settled, container))
    return noted(result, container)
  }
  return withRun(part, function runInTurn(payload, context) {
    const { container } = scope
    const before = container.running.length < AT_ONCE ? undefined : container.running.shift()
    const result =
      before === undefined
        ? runUnlessEnough(payload, context, container)
        : before.then(() => runUnlessEnough(payload, context, container))
    if (result instanceof Promise) container.running.push(result)
    return result
  })
}

function noted(payload: Payload, container: Container): Payload {
  if (payload.issues.length > 0) container.wrong++
  return payload
}

/**
 * Adds one issue for all skipped parts, after the issues in the response. Without this issue, zod would run the
 * container's checks on parts that were not parsed.
 */
function passOver(payload: Payload, container: Container): Payload {
  if (container.isLeft) return payload
  container.isLeft = true
  payload.issues.push({ code: 'custom', message: 'There may be more', input: payload.value })
  return payload
}

/** The number of properties that are parsed together before the issues are counted. */
const KEYS_AT_ONCE = 64

/**
 * Makes a record stop after {@link MAX_ISSUES} issues. Zod parses all properties of a record together, so this function
 * passes several small records to zod, one after the other. The record's checks still receive the whole record. A
 * record with a fixed set of keys is not changed.
 */
function boundRecord(internals: Internals): void {
  const { keyType } = internals.def
  if (isZodNode(keyType) && keyType._zod.values !== undefined) return
  let { parse } = internals
  const parseInParts: Run = (payload, context) => {
    const keys = isRecord(payload.value) ? Reflect.ownKeys(payload.value) : []
    if (keys.length <= KEYS_AT_ONCE) return parse(payload, context)
    const parts = partsOf(payload.value as Record<PropertyKey, unknown>, keys)
    payload.value = {}
    return parseNext(parts, payload, (part) => parse(part, context))
  }
  // Zod assigns another `parse` function when it detects that values cannot be recursive here.
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
  for (let start = 0; start < keys.length; start += KEYS_AT_ONCE) {
    const value: Record<PropertyKey, unknown> = {}
    for (const key of keys.slice(start, start + KEYS_AT_ONCE)) {
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

/** Adds the result of one part. Returns whether enough issues have been collected. */
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

/** The state of parsing one value: the current result and issues. */
export interface Payload {
  value: unknown
  readonly issues: unknown[]
}

export type Run = (payload: Payload, context: object) => Payload | Promise<Payload>

/** The definition from which zod built a schema. */
export type Def = Readonly<Record<string, unknown>> & { readonly type: string }

/** The internals of a zod 4 schema, from any copy of zod. */
export interface Internals {
  readonly def: Def
  readonly constr: new (def: Def) => ZodNode
  /** The schema inside a `z.lazy`. */
  readonly innerType?: ZodNode
  /** The accepted values, for schemas that list them. */
  readonly values?: unknown
  /** Parses the value, then runs the checks. */
  run: Run
  /** Parses the value without running the checks. */
  parse: Run
}

export interface ZodNode {
  readonly _zod: Internals
}

export function isZodNode(value: unknown): value is ZodNode {
  return typeof value === 'object' && value !== null && '_zod' in value
}

/** Returns a schema that has the given `run` and inherits all other properties from the original schema. */
export function withRun<T extends ZodNode>(node: T, run: Run): T {
  const internals = Object.create(node._zod, { run: constant(run) })
  return Object.create(node, { _zod: constant(internals) })
}

export function constant(value: unknown): PropertyDescriptor {
  return { value, enumerable: true, configurable: true, writable: true }
}
