import type { BlazonRequest } from '../../http/request.js'

/** Returns an item without the fields that the caller may not see. */
export type HideInItem = (item: unknown) => unknown

const hiders = new WeakMap<BlazonRequest, HideInItem>()

/** Has the items of a request sent without the fields that its caller may not see. */
export function hideInItemsOf(req: BlazonRequest, hide: HideInItem): void {
  hiders.set(req, hide)
}

/** Returns the function for the items of a request; `undefined` if the caller may see all fields. */
export function itemHiderOf(req: BlazonRequest): HideInItem | undefined {
  return hiders.get(req)
}
