/** The contents of a comment on a declaration. */
export interface CommentFacts {
  readonly text?: string | undefined
  readonly isDeprecated?: boolean | undefined
}

/**
 * A JSDoc comment for a declaration, with line ends; empty when it has no text. The text of authors is
 * escaped, so that it cannot end the comment.
 */
export function comment({ text, isDeprecated = false }: CommentFacts, indent = ''): string {
  const lines = [...linesOf(text ?? ''), ...(isDeprecated ? ['@deprecated'] : [])]
  if (lines.length === 0) return ''
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`
  const body = lines.map((line) => `${indent} * ${line}`.trimEnd())
  return `${indent}/**\n${body.join('\n')}\n${indent} */\n`
}

function linesOf(text: string): string[] {
  const safe = text.trim().replaceAll('*/', '*\\/')
  // U+2028 and U+2029 also end a line in JavaScript.
  return safe === '' ? [] : safe.split(/\r\n|[\n\r\u2028\u2029]/)
}
