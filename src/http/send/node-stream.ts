import type { Readable } from 'node:stream'

/** Whether a value is a stream. Streams of older packages are not instances of Node's class. */
export function isNodeStream(value: object): value is Readable {
  const { pipe, on, destroy } = value as Partial<Readable>
  return [pipe, on, destroy].every((method) => typeof method === 'function')
}
