import type { ServerResponse } from 'node:http'

/**
 * Makes a response that has been answered for its handler take whatever the handler still says.
 * Without this, a handler that answers from a callback after its time has passed would throw
 * `ERR_HTTP_HEADERS_SENT` where nobody catches it, and a slow database would end the process.
 */
export function dropLateAnswers(res: ServerResponse): void {
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

/** Whether `keepFirstAnswer` was called for a response. */
export function keepsFirstAnswer(res: object): boolean {
  return KEEPING.has(res)
}

type Method = (this: unknown, ...args: unknown[]) => unknown

/**
 * Makes a response take whatever is said after its first answer, which may still be to come, or be a stream: a head that has been
 * sent is not changed, and nothing follows the end.
 */
export function keepFirstAnswer(res: ServerResponse): void {
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
