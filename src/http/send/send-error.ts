import { validateHeaderValue } from 'node:http'
import type { Response } from '../../contracts/handler.js'
import type { OwnHeaders } from './response-headers.js'
import { isUntouched, writeFlatHead } from './send-json.js'
import { headerLine, type StaticHeaders } from './static-headers.js'

/** An answer of which everything is known before it begins. */
export interface WholeText {
  readonly status: number
  /** Beside those of the text itself. */
  readonly headers: Readonly<Record<string, unknown>> | null | undefined
  readonly type: string
  readonly text: string
}

const kSendText = Symbol('sendText')

/** Fields of ours on every response. */
interface Sending {
  readonly [kSendText]: (answer: WholeText) => boolean
}

/**
 * Sends a text as `setHeader` for each header and `end` would, without setting any. `false`, with nothing done, where that could be
 * seen: somebody has set a header, waits for the head, or the answer has a header that must be looked at more closely.
 */
export function sendText(res: Response, answer: WholeText): boolean {
  return (res as Response & Sending)[kSendText](answer)
}

export function defineSendText(prototype: Response, { text: statics }: StaticHeaders): void {
  const value = function sendFlatText(this: Response & OwnHeaders, answer: WholeText): boolean {
    const own = isUntouched(this, prototype) ? linesOf(answer.headers) : null
    if (own === null) return false
    const { status, type, text } = answer
    this.statusCode = status
    const lead = statics + own + headerLine('Content-Type', type)
    writeFlatHead(this, lead, ['Content-Length', Buffer.byteLength(text)])
    this.end(text)
    return true
  }
  Object.defineProperty(prototype, kSendText, { value })
}

/** What refusals say beside their text: no other part of a head has these names, and Node takes no notice of them. */
const FREE_NAMES = ['WWW-Authenticate', 'Allow', 'Retry-After']

/** `null` for others, and for what HTTP cannot carry. */
function linesOf(headers: WholeText['headers']): string | null {
  let lines = ''
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (!FREE_NAMES.includes(name) || typeof value !== 'string' || !isCarried(name, value))
      return null
    lines += headerLine(name, value)
  }
  return lines
}

function isCarried(name: string, value: string): boolean {
  try {
    validateHeaderValue(name, value)
    return true
  } catch {
    return false
  }
}
