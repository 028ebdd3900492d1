import type { ContractViolation } from '../../contracts/contract-violation.js'
import type { RequestSecretTexts } from '../../contracts/plugin.js'
import { SECRET_NAME } from '../../features/capsules/request-sent.js'

/** Hides the values of a response that are secrets of its request, or whose field has the name of one. */
export function withoutSecrets(
  violations: readonly ContractViolation[],
  { hideIn }: RequestSecretTexts,
): ContractViolation[] {
  return violations.map((violation) => ({
    ...violation,
    got: SECRET_NAME.test(violation.path) ? '[secret]' : hideIn(violation.got),
  }))
}
