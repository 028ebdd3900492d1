/** `#!` begins the first line of a program. */
const COMMENT = /^#!.*|\/\/.*|\/\*[\s\S]*?(?:\*\/|$)/y
const STRING = /'(?:\\[\s\S]|[^'\\\n])*'?|"(?:\\[\s\S]|[^"\\\n])*"?/y
/** From a backtick, or from the end of an expression, to the next expression or backtick. */
const TEMPLATE = /[`}](?:\\[\s\S]|\$(?!\{)|[^`\\$])*(?:`|\$\{|$)/y
const REGEXP = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/\w*/y
const WORD = /[\w$]+|\s+/y

/** After these, a slash begins a regular expression. After other words and closing brackets, it divides. */
const BEFORE_REGEXP = /(?:^|[^\w$)\]}'"`]|\b(?:return|typeof|case|in|of|void|delete|await|yield))$/

/**
 * TypeScript with blanks in place of comments, and of all but the ends of strings, templates and regular expressions.
 * Each character that is left has its place, so brackets, commas and words in the result are those of the code.
 */
export function maskCode(text: string): string {
  let masked = ''
  /** How many braces are open in the expression of each open template. */
  const templates: number[] = []
  const read = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = masked.length
    return pattern.exec(text)?.[0]
  }
  /** The next part of a template, if a brace or backtick begins or continues one. */
  const readTemplate = (first: string): string | undefined => {
    const depth = templates.at(-1)
    const isResumed = first === '}' && depth === 0
    if (isResumed) templates.pop()
    if (first === '`' || isResumed) {
      const part = read(TEMPLATE)
      if (part?.endsWith('${')) templates.push(0)
      return part
    }
    if (depth !== undefined) templates.splice(-1, 1, depth + (first === '{' ? 1 : -1))
    return undefined
  }
  while (masked.length < text.length) {
    const first = text.charAt(masked.length)
    const comment = read(COMMENT)
    if (comment !== undefined) masked += blank(comment)
    else {
      const isRegExp = first === '/' && BEFORE_REGEXP.test(masked.slice(-200).trimEnd())
      const quoted = /[`{}]/.test(first) ? readTemplate(first) : read(isRegExp ? REGEXP : STRING)
      masked += quoted === undefined ? (read(WORD) ?? first) : ends(quoted)
    }
  }
  return masked
}

/** A string keeps its ends, because it is an item of a list. */
function ends(text: string): string {
  const kept = text.endsWith('${') ? 2 : 1
  if (text.length <= kept) return text
  return text.charAt(0) + blank(text.slice(1, -kept)) + text.slice(-kept)
}

function blank(text: string): string {
  return text.replace(/[^\r\n]/g, ' ')
}
