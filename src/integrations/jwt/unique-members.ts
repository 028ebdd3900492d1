/** A string, or a character that structures JSON. The text between them is skipped. */
const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\]:,]/g

/**
 * Whether no object of a JSON text has a member twice, and none is called `__proto__`. `JSON.parse` takes the last of two
 * equal members, other readers the first: a token must not mean two things (RFC 7519, section 4).
 *
 * @param json A text that `JSON.parse` accepts.
 */
export function hasUniqueMembers(json: string): boolean {
  const open: (Set<string> | null)[] = []
  let isName = false
  for (const [token] of json.matchAll(TOKENS)) {
    if (token === '{' || token === '[') open.push(token === '{' ? new Set() : null)
    else if (token === '}' || token === ']') open.pop()
    else if (isName && token.startsWith('"') && !addName(open.at(-1), token)) return false
    isName = token === '{' || (token === ',' && open.at(-1) !== null)
  }
  return true
}

/** `"a"` and `"\u0061"` are one name. */
function addName(names: Set<string> | null | undefined, token: string): boolean {
  const name: string = JSON.parse(token)
  if (name === '__proto__' || names?.has(name)) return false
  names?.add(name)
  return true
}
