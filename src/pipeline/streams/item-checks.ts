import type { BlazonRequest } from '../../http/request.js'

/** Checks an item as it is sent; throws to end the stream. */
export type CheckItem = (item: unknown) => void

/** The checks of requests under test. Nothing else adds one. */
const checks = new WeakMap<BlazonRequest, CheckItem>()

/** Has the items of a request checked, after the fields that their schema does not name were dropped. */
export function checkItemsOf(req: BlazonRequest, check: CheckItem): void {
  checks.set(req, check)
}

/** Returns the check of a request; `undefined` outside of tests. */
export function itemCheckOf(req: BlazonRequest): CheckItem | undefined {
  return checks.get(req)
}
