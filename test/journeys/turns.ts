/**
 * Waits for turns of the event loop, not for time: whatever does not wait for a timer or for the world outside has happened then,
 * however busy the machine is.
 */
export async function turns(count = 50): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}
