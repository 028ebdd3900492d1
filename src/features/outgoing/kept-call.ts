import type { KeptCall } from '../../contracts/outgoing-call.js'
import type { AskedCall } from './call.js'

/** The most bytes that are kept of a body. */
const MOST = 1_000_000

/** Keeps the bodies of a call. The program reads its response as before. */
export function keepCall({ init: { body } }: AskedCall, response: Response | null): KeptCall {
  const sent = textOf(body)
  if (response === null) {
    return { sent, headers: [], received: () => ({ bytes: new Uint8Array(), isWhole: true }) }
  }
  const chunks: Uint8Array[] = []
  const state = { isWhole: response.body === null }
  void readCopy(response, chunks).then(
    (isWhole) => {
      state.isWhole = isWhole
    },
    () => {},
  )
  const received = () => ({ bytes: Buffer.concat(chunks), isWhole: state.isWhole })
  return { sent, headers: [...response.headers], received }
}

/** Reads a copy of a body, not more than is kept. Returns whether it is all. */
async function readCopy(response: Response, chunks: Uint8Array[]): Promise<boolean> {
  const reader = response.clone().body?.getReader()
  let length = 0
  while (reader !== undefined) {
    const { done, value } = await reader.read()
    if (done) break
    length += value.length
    if (length > MOST) {
      // The other half of the body goes on.
      void reader.cancel().catch(() => {})
      return false
    }
    chunks.push(value)
  }
  return true
}

function textOf(body: unknown): string | null {
  if (typeof body === 'string' || body instanceof URLSearchParams) return String(body)
  return body instanceof Uint8Array ? Buffer.from(body).toString() : null
}
