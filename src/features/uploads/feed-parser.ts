import { IncomingMessage } from 'node:http'
import type { Writable } from 'node:stream'
import { loadPeer } from '../../errors/peer-floor.js'

// Node's original `on`, which does not bind listeners to the request's scope. See `http/read-body.ts`.
const { on } = IncomingMessage.prototype

/**
 * The maximum number of bytes of an unread body that are read and discarded after the response. If the body is larger,
 * the connection is closed.
 */
const DROPPED_BYTES = 1024 * 1024

/** The callbacks for the bytes of a body. */
export interface BodyEvents {
  /** Receives the number of bytes that arrived, before the parser receives the bytes. */
  onBytes(count: number): void
  /** Runs if the connection closes before the body has ended. */
  onCut(): void
}

/** A request body that is being written into a parser. */
export interface Feed {
  /** Stops passing data to the parser. The rest of the body is not read. */
  stop(): void
  /** Discards the rest of the body, so that the connection can be used again. */
  drop(): void
}

/** Writes a request body into a parser, at the parser's speed. */
export function feedParser(
  req: IncomingMessage,
  parser: Writable,
  { onBytes, onCut }: BodyEvents,
): Feed {
  let isStopped = false
  const resume = () => {
    if (!isStopped) req.resume()
  }
  function onData(chunk: Buffer): void {
    onBytes(chunk.length)
    if (isStopped || parser.write(chunk)) return
    req.pause()
    parser.once('drain', resume)
  }
  on.call(req, 'data', onData)
  on.call(req, 'end', () => {
    if (!isStopped) parser.end()
  })
  on.call(req, 'close', () => {
    if (!req.readableEnded) onCut()
  })
  if (req.destroyed) onCut()
  return {
    stop() {
      isStopped = true
      req.off('data', onData).pause()
    },
    drop: () => dropBody(req),
  }
}

function dropBody(req: IncomingMessage): void {
  if (req.complete || req.destroyed) return
  let dropped = 0
  on.call(req, 'data', (chunk: Buffer) => {
    dropped += chunk.length
    if (dropped > DROPPED_BYTES) req.socket.destroy()
  })
  // Without a listener, the error of a broken connection would end the process.
  on.call(req, 'error', () => {})
  req.resume()
}

interface DicerConfig {
  readonly boundary: string
  readonly maxHeaderPairs: number
  readonly maxHeaderSize: number
  readonly highWaterMark: number
}

/** The `multipart` parser inside `@fastify/busboy`. It emits `part` with a stream for each part. */
export type DicerClass = new (config: DicerConfig) => Writable

/**
 * Loads the form parser.
 *
 * @param route The route that needs the parser, for the error message.
 * @throws ConfigError if `@fastify/busboy` is not installed or is too old.
 */
export async function loadBusboy(route: string): Promise<DicerClass> {
  const use = { subject: `${route} @Upload`, origin: import.meta.url }
  // The cast hides the package's types from the compiler, because they add an event to every stream in the program and
  // break the types of other events. Bundlers still find the string.
  const load = () => import('@fastify/busboy' as string)
  const { Dicer } = await loadPeer('@fastify/busboy', use, load)
  return Dicer
}
