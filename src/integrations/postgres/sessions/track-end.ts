import type { Response } from '../../../index.js'
import { isThenable } from '../../../plugin/index.js'
import type { RequestWork } from './request-work.js'

/** Calls a handler and notifies its work when the handler has ended. */
export function trackEnd(work: RequestWork, res: Response, next: () => unknown): unknown {
  let value: unknown
  try {
    value = next()
  } catch (error) {
    work.fail()
    throw error
  }
  const leave = (settled: unknown) => {
    const isPending = settled === undefined || settled === res
    if (isPending && !res.writableEnded && !res.closed) res.once('close', () => work.leave())
    else work.leave()
    return settled
  }
  // The query of a query builder is not a promise, but can be awaited.
  if (!isThenable(value)) return leave(value)
  return Promise.resolve(value).then(leave, (error) => {
    work.fail()
    throw error
  })
}
