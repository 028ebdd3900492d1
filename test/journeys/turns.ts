/**
 * Waits for turns of the event loop, not for a time. After these turns, all callbacks have run that do not wait for a
 * timer or for input and output, also on a busy machine.
 */
export async function turns(count = 50): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}
