// The function is stored when this module is loaded, before the fake timers of a test runner can replace it.
const { setImmediate } = globalThis

/** Calls a function after the current turn of the event loop and the microtasks that this turn has started. */
export function afterThisTurn(run: () => void): void {
  setImmediate(run)
}

/**
 * The number of event loop turns that an in-memory request needs from the client to the handler and back, with a
 * reserve.
 */
const TURNS = 12

/** Waits until all code that depends neither on timers nor on anything outside the process has continued. */
export async function settle(turns: number = TURNS): Promise<void> {
  for (let turn = 0; turn < turns; turn++) {
    await new Promise<void>(afterThisTurn)
  }
}
