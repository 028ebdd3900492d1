import { isUtf8 } from 'node:buffer'
import { parse } from 'secure-json-parse'
import { codedError } from '../errors/http-error.js'

const OPENERS = new Set(['{', '['].map((c) => c.charCodeAt(0)))
const CLOSERS = new Set(['}', ']'].map((c) => c.charCodeAt(0)))
const QUOTE = '"'.charCodeAt(0)
const BACKSLASH = '\\'.charCodeAt(0)

/**
 * Parses a JSON body that nobody has vouched for. Refuses, with 400, what is not UTF-8 (RFC 8259,
 * 8.1), `__proto__` and `constructor.prototype` keys (they reach prototypes through any later merge),
 * and nesting beyond `maxDepth`, which overflows the stack of recursive validators; under
 * AsyncLocalStorage such an overflow could not even be caught (CVE-2025-59466).
 */
export function parseJson(bytes: Buffer, maxDepth: number): unknown {
  if (!isUtf8(bytes)) throw malformed('The body is not valid UTF-8')
  if (isDeeperThan(bytes, maxDepth)) {
    throw malformed(`The body is nested deeper than ${maxDepth} levels`)
  }
  const text = bytes.toString('utf8')
  try {
    return parse(text, undefined, { protoAction: 'error', constructorAction: 'error' })
  } catch (cause) {
    throw malformed('The body is not valid JSON', cause)
  }
}

function malformed(message: string, cause?: unknown): Error {
  return codedError('MALFORMED_JSON', message, { cause })
}

/** Counts brackets outside strings. Nesting of n levels takes 2n bytes, so short bodies need no count. */
function isDeeperThan(bytes: Buffer, maxDepth: number): boolean {
  if (bytes.length <= 2 * maxDepth) return false
  let depth = 0
  let inString = false
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number
    if (inString) {
      if (byte === BACKSLASH) i++
      else if (byte === QUOTE) inString = false
    } else if (byte === QUOTE) inString = true
    else if (OPENERS.has(byte)) {
      depth++
      if (depth > maxDepth) return true
    } else if (CLOSERS.has(byte)) depth--
  }
  return false
}
