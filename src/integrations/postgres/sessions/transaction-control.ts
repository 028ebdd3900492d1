import { classifyStatement } from '../classify-statement.js'

/**
 * Rejects statements that begin or end a transaction. After its own `COMMIT`, a program would run
 * without the settings of its tenant. Only the first command is checked, because a statement has
 * only one.
 *
 * @throws Error for a statement that begins or ends a transaction.
 */
export function refuseControl(text: string): void {
  const { control } = classifyStatement(text)
  if (control === null) return
  throw new Error(
    `${control.toUpperCase()} cannot be sent as a query: use db.transaction(fn), which begins and ends a transaction.`,
  )
}
