import type { ServerResponse } from 'node:http'

/**
 * The status of an answer: what `res.status` or `res.statusCode` were told, be it 200, else what its route states. Nobody has told
 * one that is not the response's own: Node's 200 stands on the prototype.
 *
 * @param stated `null` where the route states none.
 */
export function saidStatus(res: ServerResponse, stated: number | null): number {
  return stated === null || Object.hasOwn(res, 'statusCode') ? res.statusCode : stated
}

/** The same for all answers of a route. One that states no status, as most do, has nothing to look for. */
export function statusReader(stated: number | null): (res: ServerResponse) => number {
  return stated === null ? ({ statusCode }) => statusCode : (res) => saidStatus(res, stated)
}
