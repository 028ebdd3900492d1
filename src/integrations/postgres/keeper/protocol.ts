import { deserialize, serialize } from 'node:v8'
import type { Problem } from '../../../plugin/index.js'
import type { EmbeddedEngine } from '../drivers/pglite-package.js'

/** A call from an application process to a method of the database. */
export interface Call {
  readonly method: 'take' | 'giveBack' | 'query' | 'script' | 'reset'
  readonly args: readonly unknown[]
}

/** The reply to a call, with the new state of the database. Replies are sent in the order of the calls. */
export interface Reply extends Pick<EmbeddedEngine, 'isInTransaction'> {
  readonly crash: string | undefined
  readonly result?: unknown
  readonly error?: PlainError
}

/** A PostgreSQL error with its fields, which `structuredClone` would lose. */
export interface PlainError {
  readonly message: string
}

/** The first message of a keeper: the paths of its socket and of a file in its folder, or the reason for a failure. */
export type Opening =
  | { readonly path: string; readonly marker: string }
  | { readonly message: string; readonly problems?: readonly Problem[] }

const LENGTH_BYTES = 4

/** Encodes a message: its length, then the value. */
export function frame(value: Call | Reply): Buffer {
  const body = serialize(value)
  const head = Buffer.alloc(LENGTH_BYTES)
  head.writeUInt32BE(body.length)
  return Buffer.concat([head, body])
}

/** Returns a function that accepts the bytes of a stream, and calls `receive` with each message. */
export function unframe<T>(receive: (value: T) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0)
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    while (rest.length >= LENGTH_BYTES) {
      const end = LENGTH_BYTES + rest.readUInt32BE()
      if (rest.length < end) return
      const value = deserialize(rest.subarray(LENGTH_BYTES, end)) as T
      rest = rest.subarray(end)
      receive(value)
    }
  }
}

/** Returns the fields of an error that can be sent to another process. */
export function toPlain(error: unknown): PlainError {
  if (!(error instanceof Error)) return { message: String(error) }
  const fields = Object.entries(error).filter(([, value]) => typeof value !== 'object')
  return { ...Object.fromEntries(fields), message: error.message }
}
