/** What the parse of a value has come to. */
export interface Payload {
  value: unknown
  readonly issues: unknown[]
}

export type Run = (payload: Payload, context: object) => Payload | Promise<Payload>

/** How a schema was written. */
export type Def = Readonly<Record<string, unknown>> & { readonly type: string }

/** What a schema of any copy of zod 4 has inside. */
export interface Internals {
  readonly def: Def
  readonly constr: new (def: Def) => ZodNode
  /** Of `z.lazy`. */
  readonly innerType?: ZodNode
  /** Of schemas that list what they accept. */
  readonly values?: unknown
  /** Parses and checks. */
  run: Run
  /** Does not check. */
  parse: Run
}

export interface ZodNode {
  readonly _zod: Internals
}

export function isZodNode(value: unknown): value is ZodNode {
  return typeof value === 'object' && value !== null && '_zod' in value
}

/** The same schema for all who ask what it is, with another `run`. */
export function withRun<T extends ZodNode>(node: T, run: Run): T {
  const internals = Object.create(node._zod, { run: constant(run) })
  return Object.create(node, { _zod: constant(internals) })
}

export function constant(value: unknown): PropertyDescriptor {
  return { value, enumerable: true, configurable: true, writable: true }
}
