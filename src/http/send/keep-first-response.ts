import type { ServerResponse } from 'node:http'

/**
 * Makes a response ignore every later call, because it has been sent in place of the handler. Without this, a handler
 * that sends its response from a callback after its time is over would throw `ERR_HTTP_HEADERS_SENT`. No code would
 * catch that error, so a slow database would end the process.
 */
export function dropLaterCalls(res: ServerResponse): void {
  const chain = () => res
  const done = () => true
  Object.assign(res, {
    setHeader: chain,
    appendHeader: chain,
    removeHeader: () => {},
    writeHead: chain,
    flushHeaders: () => {},
    write: done,
    end: chain,
  })
}

const KEEPING = new WeakSet<object>()

/** Whether `keepFirstResponse` was called for a response. */
export function keepsFirstResponse(res: object): boolean {
  return KEEPING.has(res)
}

type Method = (this: unknown, ...args: unknown[]) => unknown

/**
 * Makes a response ignore the calls that come too late, instead of throwing: changes of a head that has been sent,
 * and anything after the end. The first response may still have to begin, or may be a stream.
 */
export function keepFirstResponse(res: ServerResponse): void {
  KEEPING.add(res)
  const methods = res as unknown as Record<string, Method>
  const replace = (name: string, isOver: () => boolean, late: unknown) => {
    const original = methods[name] as Method
    methods[name] = (...args) => (isOver() ? late : original.apply(res, args))
  }
  const isSent = () => res.headersSent
  for (const name of ['setHeader', 'appendHeader', 'writeHead']) replace(name, isSent, res)
  for (const name of ['removeHeader', 'flushHeaders']) replace(name, isSent, undefined)
  const isEnded = () => res.writableEnded
  replace('write', isEnded, true)
  replace('end', isEnded, res)
}
