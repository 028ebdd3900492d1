import type { Request } from '../contracts/handler.js'

/** Facts about a request of a route with marked fields. */
export interface RequestAudience {
  /** The abilities of the marks that the caller holds, in a fixed order. */
  readonly held: readonly (readonly string[])[]
}

const audiences = new WeakMap<object, RequestAudience>()

/** Notes which marked fields the caller of a request may see. */
export function noteAudience(req: object, audience: RequestAudience): void {
  audiences.set(req, audience)
}

/** Returns the notes for a request. */
export function notedAudience(req: object): RequestAudience | undefined {
  return audiences.get(req)
}

/**
 * Returns which fields with an audience (`visibleTo`) of its route the caller of a request may see: a list of abilities
 * for each mark that the caller holds, in a fixed order. A handler need not load fields that the caller cannot see, and
 * code that keeps responses puts the list into its key, as `@Cache` does.
 *
 * @param req The request.
 * @returns `undefined` on a route without such fields, and before the step `audience`.
 * @example
 * // `salary` is `z.number().meta({ visibleTo: 'payroll:read' })`
 * const seesSalaries = audienceOf(req)?.some(([ability]) => ability === 'payroll:read') ?? false
 */
export function audienceOf(req: Request): readonly (readonly string[])[] | undefined {
  return audiences.get(req)?.held
}
