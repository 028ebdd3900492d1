import type { ContractViolation } from '../../contracts/contract-violation.js'
import type { RequestSecretTexts } from '../../contracts/plugin.js'
import { isSecretName } from '../../schema/secret-name.js'

/** Hides the values of a response that are secrets of its request, or whose field has the name of one. */
export function withoutSecrets(
  violations: readonly ContractViolation[],
  { hideIn }: Pick<RequestSecretTexts, 'hideIn'>,
): ContractViolation[] {
  return violations.map((violation) => ({
    ...violation,
    got: isSecretName(violation.path) ? '[secret]' : hideIn(violation.got),
  }))
}
