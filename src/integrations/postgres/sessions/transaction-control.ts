import { judgeStatement } from '../judge-statement.js'

/**
 * Behind a `COMMIT` of its own, a program would no longer be in its tenant's name. A statement has one command, and it comes first.
 *
 * @throws Error for a statement that begins or ends a transaction.
 */
export function refuseControl(text: string): void {
  const { control } = judgeStatement(text)
  if (control === null) return
  throw new Error(
    `${control.toUpperCase()} is not for a query: db.transaction(fn) begins a transaction, and ends it.`,
  )
}
