// Taken before a test runner's fake timers can take it away.
const { setImmediate } = globalThis

/** Runs after what is under way in this turn of the event loop, and what that sets going. */
export function afterThisTurn(run: () => void): void {
  setImmediate(run)
}

/** Turns that a request through memory needs from the client to the handler and back, with room to spare. */
const TURNS = 12

/** Lets everything go on that waits neither for time nor for the world outside. */
export async function settle(turns: number = TURNS): Promise<void> {
  for (let turn = 0; turn < turns; turn++) {
    await new Promise<void>(afterThisTurn)
  }
}
