import type { ServerResponse } from 'node:http'

/**
 * The status of a response: the one that `res.status` or `res.statusCode` has set, 200 too, or else the one of the
 * route's `@HttpCode`. A status has been set where the response has a `statusCode` of its own: Node's default 200
 * is on the prototype.
 *
 * @param stated `null` where the route states none.
 */
export function statusOf(res: ServerResponse, stated: number | null): number {
  return stated === null || Object.hasOwn(res, 'statusCode') ? res.statusCode : stated
}

/** Reads the status of every response of one route. Most routes state none; then no property has to be looked for. */
export function statusReader(stated: number | null): (res: ServerResponse) => number {
  return stated === null ? ({ statusCode }) => statusCode : (res) => statusOf(res, stated)
}
