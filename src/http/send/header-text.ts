import { validateHeaderName } from 'node:http'
import { headerKey, rememberNames } from './header-key.js'

/** Headers in which Node finds how it must send a response, if it gets them. */
const OF_NODE = new Set([
  'connection',
  'content-disposition',
  'date',
  'expect',
  'keep-alive',
  'trailer',
  'upgrade',
])

/** The characters that Node refuses in a value. */
const REFUSED = /[^\t\x20-\x7e\x80-\xff]/

/**
 * Whether a header can be sent as text with the first line of the head, which Node does not see. If not, Node must get
 * it: it acts on the header, or refuses it. Node tests each name and each value that it gets with a pattern, and
 * changes the case of the name. Here, a name is tested once.
 */
export function canLeaveAsText(name: string, value: unknown): value is string {
  return typeof value === 'string' && isNameOfText(name) && !REFUSED.test(value)
}

const isNameOfText = rememberNames((name) => !OF_NODE.has(headerKey(name)) && isName(name))

function isName(name: string): boolean {
  try {
    validateHeaderName(name)
    return true
  } catch {
    return false
  }
}
