import type { ContractOf } from '../../contracts/route-contract.js'

/** Adds the refusals of policies to the operations that declare them. An object may always be missing. */
export const policiesContract: ContractOf = ({ checks }) => {
  if (checks === null) return null
  return { errors: checks.every(({ policy }) => policy.isHidden) ? [404] : [403, 404] }
}
