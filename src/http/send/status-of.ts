import type { ServerResponse } from 'node:http'

/**
 * The status of a response: the status that `res.status` or `res.statusCode` has set, even if it is 200; else the
 * status of the route's `@HttpCode`. A status has been set if the response itself has a property `statusCode`: Node's
 * default 200 is on the prototype.
 *
 * @param stated `null` if the route has no `@HttpCode`.
 */
export function statusOf(res: ServerResponse, stated: number | null): number {
  return stated === null || Object.hasOwn(res, 'statusCode') ? res.statusCode : stated
}

/**
 * Reads the status of every response of one route. Most routes have no `@HttpCode`; then no property has to be looked
 * up.
 */
export function statusReader(stated: number | null): (res: ServerResponse) => number {
  return stated === null ? ({ statusCode }) => statusCode : (res) => statusOf(res, stated)
}
