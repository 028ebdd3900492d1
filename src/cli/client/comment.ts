/** What a comment on a declaration may say. */
export interface CommentFacts {
  readonly text?: string | undefined
  readonly isDeprecated?: boolean | undefined
}

/**
 * A JSDoc comment above a declaration, each line ended; empty when there is nothing to say. What authors write
 * cannot end the comment.
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
  // The last two end a line of JavaScript too.
  return safe === '' ? [] : safe.split(/\r\n|[\n\r\u2028\u2029]/)
}
