import { validateHeaderName } from 'node:http'

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

const MAX_NAMES = 1000
/** No longer name is kept: code may look up a name that a client has sent. */
const MAX_LENGTH = 64

/** Keeps the results of a function for names of headers: for 1,000 names, of up to 64 characters each. */
export function rememberNames<Value>(learn: (name: string) => Value): (name: string) => Value {
  const known = new Map<string, Value>()
  return function remembered(name) {
    const found = known.get(name)
    if (found !== undefined) return found
    const learned = learn(name)
    if (known.size < MAX_NAMES && typeof name === 'string' && name.length <= MAX_LENGTH) {
      known.set(name, learned)
    }
    return learned
  }
}

/**
 * Returns the lower-case name of a header. Node changes the case of each name that it looks up, and V8 searches all
 * strings of the process for the new text. A name that is in lower case already, and is stored as a key, needs neither.
 * Behind ten middlewares, a request takes 287 thousand instructions instead of 319 with this and with added headers
 * that are sent as text (`npm run bench -- --count --only middlewares`, Node 24).
 */
export const headerKey: (name: string) => string = rememberNames(learnKey)

function learnKey(name: string): string {
  // Node's own method refuses it with its own message.
  if (typeof name !== 'string') return name
  const lower = name.toLowerCase()
  if (name.length > MAX_LENGTH) return lower
  // The name of a property is the one string that V8 has for this text.
  return Object.keys({ [lower]: true })[0] ?? lower
}

/**
 * The length from which on a text is turned into bytes first, in UTF-16 units. Node reserves up to three bytes for each unit
 * of a text that waits for its client, beside the text itself: 100 clients that read 5 MB slowly took 1.1 GB with texts, and
 * 0.6 GB with bytes. The time of the processor is the same for both from here on, and up to 7 % more with bytes for
 * texts of 4 and 16 KiB.
 */
const LONG = 64 * 1024

/** Returns a text as it is written to a connection: long texts as bytes. */
export function wireText(text: string): string | Buffer {
  return text.length < LONG ? text : Buffer.from(text)
}
