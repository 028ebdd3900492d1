import { finished, type Readable } from 'node:stream'
import { ReadableStream } from 'node:stream/web'

/** Statuses whose `Response` must not have a body (Fetch Standard, "null body status"). */
const BODILESS = [204, 205, 304]

/** Whether a response with this status to this method has no body. */
export function isBodiless(method: string, status: number): boolean {
  return method === 'HEAD' || BODILESS.includes(status)
}

/**
 * Converts a Node stream to a web stream with backpressure.
 *
 * @param onCancel Called after the reader has cancelled and the source has been destroyed.
 */
export function toWebStream(
  source: Readable,
  onCancel: () => void = () => {},
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let isCancelled = false
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      source.on('data', (chunk: Buffer) => {
        // Chunks can still arrive after `cancel`, when the controller no longer accepts them.
        if (isCancelled) return
        controller.enqueue(new Uint8Array(chunk))
        if ((controller.desiredSize ?? 0) <= 0) source.pause()
      })
      // `finished` is used instead of the events `end` and `error`, because the connection can be lost before this
      // function listens.
      finished(source, { writable: false }, (error) => {
        if (isCancelled) return
        if (error) controller.error(error)
        else controller.close()
      })
    },
    pull() {
      source.resume()
    },
    cancel() {
      isCancelled = true
      source.destroy()
      onCancel()
    },
  })
}
