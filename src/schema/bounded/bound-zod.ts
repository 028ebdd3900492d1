import type { StandardSchemaV1 } from '@standard-schema/spec'
import { MAX_ISSUES } from '../max-issues.js'
import { WorkLimit } from '../work-limit.js'
import {
  constant,
  type Def,
  type Internals,
  isZodNode,
  type Payload,
  type Run,
  withRun,
  type ZodNode,
} from './zod-node.js'
import { boundRecord } from './zod-record.js'

/** Parts that a client repeats as often as a body can hold. */
const REPEATED: Readonly<Record<string, readonly string[]>> = {
  array: ['element'],
  tuple: ['rest'],
  map: ['keyType', 'valueType'],
  set: ['valueType'],
  object: ['catchall'],
}

const WRAPPERS = 'optional nullable default prefault catch readonly nonoptional success promise'

/** Parts that are there once, or as often as the schema says. */
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
 * The same schema, but a list, record or other container looks at no more parts once {@link MAX_ISSUES} of them were wrong:
 * of 50,000 wrong items, zod kept 50,000 issues, each with what all alternatives of a union say. The first issues, and what
 * is made of a valid value, stay as they are, and nothing runs twice. The schema itself is not touched: containers, and what
 * leads to them, are built again from their definitions; all else is shared.
 */
export function boundZod(schema: StandardSchemaV1): StandardSchemaV1 {
  const bounded = known.get(schema) ?? tryToBuild(schema)
  known.set(schema, bounded)
  return bounded
}

/** Schemas of classes that are not zod's own may not be built from their definitions. */
function tryToBuild(schema: StandardSchemaV1): StandardSchemaV1 {
  if (!isZodNode(schema)) return schema
  try {
    return new TwinBuilder().twinOf(schema) as unknown as StandardSchemaV1
  } catch {
    return schema
  }
}

/** A container that is being parsed. */
class Container {
  /** How many of its parts were wrong. */
  wrong = 0
  /** Whether parts were passed over. */
  isLeft = false
  /** Parts that wait for what the application has to find out. */
  readonly running: Promise<unknown>[] = []
}

/** Of 50,000 items that ask a database, so many may ask at once. */
const AT_ONCE = 100

/** So deep, a schema contains itself; less deep, doubling does no harm. */
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
    // Descriptors, because a default may be a getter that makes a new one every time.
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

  /** Getters, because a schema that contains itself does so here. */
  #shapeOf(def: Def): object {
    const shape = def['shape'] as Record<PropertyKey, ZodNode>
    const twins = {}
    for (const key of Reflect.ownKeys(shape)) {
      const node = shape[key] as ZodNode
      const isLeaf = SINGLE[node._zod.def.type] === undefined
      const get = () => this.twinOf(node)
      const descriptor = isLeaf ? constant(node) : { get, enumerable: true, configurable: true }
      Object.defineProperty(twins, key, descriptor)
    }
    return twins
  }

  #mapped(part: unknown): unknown {
    if (Array.isArray(part)) return part.map((each: ZodNode) => this.twinOf(each))
    return isZodNode(part) ? this.twinOf(part) : part
  }

  /** Counts calls, and gives each value that a container parses a count of its own. */
  #watch(internals: Internals, scope: { container: Container } | undefined): void {
    // Without checks `run` is `parse`, which zod may still replace.
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

/** Passes over a part of a container that has enough wrong ones. */
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

/** Says it once, behind all issues that are sent: checks must not run on what was not parsed. */
function passOver(payload: Payload, container: Container): Payload {
  if (container.isLeft) return payload
  container.isLeft = true
  payload.issues.push({ code: 'custom', message: 'There may be more', input: payload.value })
  return payload
}
