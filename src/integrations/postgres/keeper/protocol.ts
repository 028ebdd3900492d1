import { deserialize, serialize } from 'node:v8'
import type { Problem } from '../../../index.js'
import type { PgliteResult } from '../drivers/pglite-package.js'
import type { Written } from '../values/write-value.js'

/** A call of the application's process. */
export type Call =
  | { readonly kind: 'take' | 'give-back' | 'reset' }
  | { readonly kind: 'query'; readonly text: string; readonly values: readonly Written[] }
  | { readonly kind: 'script'; readonly text: string }

/** The state of the database after a call. */
export interface State {
  readonly isInTransaction: boolean
  readonly crash: string | undefined
}

/** The reply to a call, in the order of the calls. */
export type Reply = State &
  ({ readonly result: PgliteResult | undefined } | { readonly error: PlainError })

/** An error of PostgreSQL with its fields: `structuredClone` would lose them. */
export interface PlainError {
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** The first message of a keeper: the path of its socket and of a file that exists as long as its folder, or why not. */
export type Opening =
  | { readonly path: string; readonly marker: string }
  | { readonly message: string; readonly problems?: readonly Problem[] }

const LENGTH_BYTES = 4

/** A message as bytes: its length, then the value. */
export function frame(value: unknown): Buffer {
  const body = serialize(value)
  const head = Buffer.alloc(LENGTH_BYTES)
  head.writeUInt32BE(body.length)
  return Buffer.concat([head, body])
}

/** Returns a function that takes the bytes of a stream, and calls `receive` with each message. */
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

/** The fields of an error that can cross to another process. */
export function toPlain(error: unknown): PlainError {
  if (!(error instanceof Error)) return { message: String(error), fields: {} }
  const fields = Object.entries(error).filter(([, value]) => typeof value !== 'object')
  return { message: error.message, fields: Object.fromEntries(fields) }
}

/** The error of {@link toPlain}, in the process that receives it. */
export function toError({ message, fields }: PlainError): Error {
  return Object.assign(new Error(message), fields)
}
