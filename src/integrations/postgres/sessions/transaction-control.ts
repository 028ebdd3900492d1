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
    `${control.toUpperCase()} cannot be sent as a query: use db.transaction(fn), which begins and ends a transaction.`,
  )
}
