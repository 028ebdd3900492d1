import type { DocumentedOperation } from '../app/contract/documented-by-route.js'

/**
 * Statuses of refusals because of the caller, a retired operation or a rate limit. After such a refusal, the rest of
 * the operation was not tested.
 */
const REFUSALS = [401, 403, 410, 429]
const TOO_MANY = 429

/** An operation that a check has called, and the statuses of its checked responses. */
export interface CalledOperation {
  readonly documented: DocumentedOperation
  readonly statuses: ReadonlySet<number>
}

/** Whether an operation has refused all requests. */
export function isRefused({ statuses }: CalledOperation): boolean {
  return statuses.size > 0 && [...statuses].every((status) => REFUSALS.includes(status))
}

/**
 * Throws if a check has not tested operations at all: all operations have refused every request, or one operation has
 * refused every request, and a rate limit was one of the reasons.
 *
 * @param check The name for messages: `fuzz()`.
 * @throws Error with the operations.
 */
export function refuseUntested(check: string, called: readonly CalledOperation[]): void {
  const judged = called.filter(({ statuses }) => statuses.size > 0)
  const refused = judged.filter(isRefused)
  const failed =
    refused.length === judged.length
      ? refused
      : refused.filter(({ statuses }) => statuses.has(TOO_MANY))
  if (failed.length === 0) return
  const lines = failed.map(({ documented: { name, operationId }, statuses }) => {
    const all = [...statuses].sort((a, b) => a - b).join(', ')
    return `${check} did not test ${name} (${operationId}): every request was refused, with ${all}.`
  })
  const isLimited = failed.some(({ statuses }) => statuses.has(TOO_MANY))
  const remedy = isLimited
    ? 'The limits of the framework do not apply here: disable the other limit in tests, or skip the operation.'
    : 'Pass a caller who is allowed to call the operation, or skip it.'
  throw new Error([...lines, remedy].join('\n'))
}
