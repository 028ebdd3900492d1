/** The first words of statements that begin or end a transaction; savepoints stay within it. */
const CONTROL =
  /^(?:begin|start\s+transaction|commit|end|abort|prepare\s+transaction|rollback(?!(?:\s+(?:work|transaction))?\s+to\b))\b/i

/**
 * Behind a `COMMIT` of its own, a program would no longer be in its tenant's name. A statement has one command, and it comes first.
 *
 * @throws Error for a statement that begins or ends a transaction.
 */
export function refuseControl(text: string): void {
  const command = CONTROL.exec(text.slice(startOf(text)))?.[0]
  if (command === undefined) return
  throw new Error(
    `${command.toUpperCase()} is not for a query: db.transaction(fn) begins a transaction, and ends it.`,
  )
}

/** Where a statement begins behind spaces, empty statements and comments, which may hold comments. */
function startOf(text: string): number {
  const token = /[\s;]+|--[^\n\r]*|\/\*|\*\//y
  let depth = 0
  let at = 0
  while (at < text.length) {
    token.lastIndex = at
    const found = token.exec(text)?.[0]
    if (found === '/*') depth++
    else if (found === '*/') depth--
    else if (found === undefined && depth === 0) return at
    // Within a comment, `--` and whatever else there is mean nothing.
    at += found === undefined || (depth > 0 && found.startsWith('--')) ? 1 : found.length
  }
  return at
}
