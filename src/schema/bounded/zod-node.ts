/** The state of parsing one value: the result so far, and the issues. */
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
  /** The accepted values, in schemas that list them. */
  readonly values?: unknown
  /** Parses the value, then runs the checks. */
  run: Run
  /** Only parses. */
  parse: Run
}

export interface ZodNode {
  readonly _zod: Internals
}

export function isZodNode(value: unknown): value is ZodNode {
  return typeof value === 'object' && value !== null && '_zod' in value
}

/** Returns a schema with another `run`. All its other properties come from the original by its prototype. */
export function withRun<T extends ZodNode>(node: T, run: Run): T {
  const internals = Object.create(node._zod, { run: constant(run) })
  return Object.create(node, { _zod: constant(internals) })
}

export function constant(value: unknown): PropertyDescriptor {
  return { value, enumerable: true, configurable: true, writable: true }
}
