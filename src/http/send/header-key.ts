const MAX_NAMES = 1000

const keys = new Map<string, string>()

/**
 * Returns the lower-case name of a header. Node changes the case of each name that it looks up, and V8 searches all strings
 * of the process for the new text. A name that is in lower case already, and is known as a key, spares both. Behind ten
 * middlewares, this and added headers that are sent as text made 287 thousand instructions of 319
 * (`npm run bench -- --count --only middlewares`).
 */
export function headerKey(name: string): string {
  return keys.get(name) ?? learnKey(name)
}

function learnKey(name: string): string {
  // Node's own method refuses it with its own message.
  if (typeof name !== 'string') return name
  const lower = name.toLowerCase()
  if (keys.size >= MAX_NAMES) return lower
  // The name of a property is the one string that V8 has for this text.
  const [key = lower] = Object.keys({ [lower]: true })
  keys.set(name, key)
  return key
}
