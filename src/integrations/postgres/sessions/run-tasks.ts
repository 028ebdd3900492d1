import type { Logger } from '../../../index.js'
import { Deadline } from '../drivers/deadline.js'
import type { Task } from './transaction.js'

/** The configuration of {@link runTasks}. */
export interface TaskTerms {
  readonly logger: () => Logger
  /** The time limit for one function, in milliseconds, because the response waits for it. */
  readonly limitMs: number
}

/**
 * Runs the functions that were passed to `afterCommit()`. The transaction has already been saved, so a failure is only
 * logged.
 */
export async function runTasks(tasks: readonly Task[], terms: TaskTerms): Promise<void> {
  for (const task of tasks) {
    try {
      await limit(task, terms.limitMs)
    } catch (err) {
      log(err, terms)
    }
  }
}

function log(err: unknown, { logger }: TaskTerms): void {
  try {
    logger().error({ err }, 'A function given to afterCommit() failed')
  } catch {
    // The commit has succeeded, so a logger that throws must not make the request fail.
  }
}

function limit(task: Task, ms: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const deadline = new Deadline(ms, () => reject(new Error(`It did not finish within ${ms} ms.`)))
    void Promise.resolve()
      .then(task)
      .finally(() => deadline.cancel())
      .then(resolve, reject)
  })
}
