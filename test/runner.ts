import { TestRunner } from 'vitest'

let isRegistered = false

/**
 * The runner of vitest, which cleans the fixtures of a worker once for each of its files. With hundreds of files in one
 * process, this took longer than the time limit for the end of a worker. Once is enough.
 */
export default class Runner extends TestRunner {
  override onCleanupWorkerContext(listener: () => unknown): void {
    if (!isRegistered) super.onCleanupWorkerContext(listener)
    isRegistered = true
  }
}
