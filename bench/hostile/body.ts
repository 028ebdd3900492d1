import type { Request, Schema } from 'blazon'

/** The default of `limits.body`. */
export const LIMIT = 100 * 1024

/** A request that is made to be expensive, and what must come back. */
export interface Hostile {
  /** `zod: a list of objects`; unique. */
  readonly name: string
  readonly schema: Schema
  /** The part that is described. Default: the body. */
  readonly source?: 'body' | 'query'
  /** JSON of at most {@link LIMIT} bytes, or a query string. */
  readonly text: string
  readonly status?: 200 | 400
  /** Where the first error is; not looked at where it is missing. */
  readonly path?: string
  /** `VALIDATION_FAILED` where it is missing. */
  readonly code?: string
  /** The handler. Default: it reads nothing of the request. */
  readonly answer?: (req: Request) => unknown
}

/** Hostile requests of one library, named after it. */
export function hostile(library: string, cases: readonly Hostile[]): readonly Hostile[] {
  return cases.map((each) => ({ ...each, name: `${library}: ${each.name}` }))
}

/** As many of what `unit` writes as a body can hold, between `open` and `close`. */
export function fill(
  unit: string | ((index: number) => string),
  [open, close]: readonly [string, string] = ['[', ']'],
): string {
  const parts: string[] = []
  let length = open.length + close.length
  for (let index = 0; ; index++) {
    const part = typeof unit === 'string' ? unit : unit(index)
    length += Buffer.byteLength(part) + 1
    if (length > LIMIT) return open + parts.join(',') + close
    parts.push(part)
  }
}

/** An object of as many properties as a body can hold. */
export function fillObject(value: string, name: (index: number) => string = nameOf): string {
  return fill((index) => `${JSON.stringify(name(index))}:${value}`, ['{', '}'])
}

function nameOf(index: number): string {
  return index.toString(36)
}

/** `inner` as deep as a body may be, less `spare` levels: `{"child":{"child":inner}}`. */
export function nest(inner: string, spare = 2, [open, close] = ['{"child":', '}']): string {
  const levels = 64 - spare
  return (open as string).repeat(levels) + inner + (close as string).repeat(levels)
}

/** Names of 20 properties. */
export const TWENTY: readonly string[] = Array.from({ length: 20 }, (_, n) => `field${n}`)

/** An object with what `make` says for each name. */
export function shapeOf<T>(names: readonly string[], make: (name: string) => T): Record<string, T> {
  return Object.fromEntries(names.map((name) => [name, make(name)]))
}
