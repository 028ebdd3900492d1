import { type Agent, type IncomingMessage, request as send } from 'node:http'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { hasJsonBody } from '../exchange.js'
import { headersOf, type WireRequest } from '../fuzz/wire-request.js'
import { settle } from '../settle.js'

/** The connection and headers of the sender. */
export interface Sender {
  readonly agent: Agent
  /** The headers to add to the headers of the request itself. */
  readonly headers: ReadonlyMap<string, string>
}

/** A response, with all parts that reach a client. */
export interface WholeResponse {
  /** The status; 0 if the connection was closed without a response. */
  readonly status: number
  readonly statusText: string
  /** Names and values, alternating, as sent. */
  readonly rawHeaders: readonly string[]
  /** The decoded body; for a stream, only its beginning. */
  readonly body: string
  readonly isJson: boolean
  /** Whether the response was aborted because it did not end. */
  readonly isStream: boolean
}

/** The number of turns of the event loop without a new chunk after which a response counts as an endless stream. */
const MAX_TURNS = 300

/** The response for a connection that was closed, or for a request that was not sent. */
export const NO_RESPONSE: WholeResponse = {
  status: 0,
  statusText: '',
  rawHeaders: [],
  body: '',
  isJson: false,
  isStream: false,
}

/** Sends a request unchanged and reads its whole response. */
export function sendWhole(
  request: WireRequest,
  { agent, headers }: Sender,
): Promise<WholeResponse> {
  const { method, target, body } = request
  const length = body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  return new Promise((resolve) => {
    const req = send({
      agent,
      host: 'in-process',
      method,
      path: target,
      headers: { ...headersOf(request, headers), ...length },
    })
    // If the connection was closed, the client received no data.
    req.on('error', () => resolve(NO_RESPONSE))
    req.once('response', (res) => {
      readWhole(res, hasJsonBody(req, res)).then(resolve, () => resolve(NO_RESPONSE))
    })
    req.end(body ?? undefined)
  })
}

async function readWhole(res: IncomingMessage, isJson: boolean): Promise<WholeResponse> {
  const { statusCode: status = 0, statusMessage: statusText = '', rawHeaders } = res
  const chunks: Buffer[] = []
  let isOver = false
  const over = new Promise<void>((resolve) => {
    res.once('close', () => {
      isOver = true
      resolve()
    })
  })
  res.on('data', (chunk: Buffer) => chunks.push(chunk))
  res.on('error', () => {})
  const mayNotEnd = !isJson && res.headers['content-length'] === undefined
  if (mayNotEnd) await waitForSilence(chunks, () => isOver)
  const isStream = mayNotEnd && !isOver
  if (isStream) res.destroy()
  await over
  const encoding = res.headers['content-encoding']
  const body = decode(Buffer.concat(chunks), encoding)
  return { status, statusText, rawHeaders, body, isJson, isStream }
}

/** Waits for the end of the response, or until no chunk has arrived for `MAX_TURNS` turns. */
async function waitForSilence(chunks: readonly Buffer[], isOver: () => boolean): Promise<void> {
  let seen = chunks.length
  for (let turns = 0; turns < MAX_TURNS && !isOver(); turns++) {
    await settle(1)
    if (chunks.length === seen) continue
    seen = chunks.length
    turns = 0
  }
}

function decode(bytes: Buffer, encoding: string | undefined): string {
  try {
    if (encoding === 'gzip') return gunzipSync(bytes).toString()
    if (encoding === 'deflate') return inflateSync(bytes).toString()
    if (encoding === 'br') return brotliDecompressSync(bytes).toString()
  } catch {
    // A body that cannot be decoded is searched in its encoded form.
  }
  return bytes.toString()
}
