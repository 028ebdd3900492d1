import type { Contract } from './contract.js'
import type { OnVisible } from './visibility-watch.js'

/**
 * The contract checks that learn of violations while a request runs: the application's check, and the checks of `fuzz`.
 */
export class RunningContracts {
  readonly #contracts: Set<Contract>

  /** @param own The application's check; `null` if it checks no responses. */
  constructor(own: Contract | null) {
    this.#contracts = new Set(own === null ? [] : [own])
  }

  /** Notes a violation with each of them. */
  readonly note: OnVisible = (request, violation) => {
    for (const contract of this.#contracts) contract.note(request, violation)
  }

  /** Adds another one until a function has ended. */
  async during<T>(contract: Contract, run: () => Promise<T>): Promise<T> {
    this.#contracts.add(contract)
    try {
      return await run()
    } finally {
      this.#contracts.delete(contract)
    }
  }
}
