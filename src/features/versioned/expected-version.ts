import type { Request } from '../../contracts/handler.js'

/** A version, as the row has it. */
export type RowVersion = string | number | bigint | Date

const expected = new WeakMap<Request, RowVersion | null>()

/** Notes the version that a write expects. */
export function expectVersion(req: Request, version: RowVersion | null): void {
  expected.set(req, version)
}

/**
 * Returns the version that a request of a route with `@Versioned()` expects, as the row has it, for the condition of the
 * statement that changes the row. `null` if the client accepts any (`If-Match: *`) or creates the row.
 *
 * @throws Error in a request of another route, because a write without the condition could overwrite a change.
 * @example
 * const note = await notes.updateOne({ id, version: expectedVersion(req) ?? undefined }, { text })
 * if (note === null) throw new PreconditionFailedError()
 */
export function expectedVersion(req: Request): RowVersion | null {
  const version = expected.get(req)
  if (version !== undefined) return version
  throw new Error('expectedVersion() is for PUT, PATCH and DELETE routes with @Versioned().')
}
