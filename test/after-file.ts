const tasks: (() => unknown)[] = []

/**
 * Runs a function after the tests of the file that runs now. For helpers: several files may share one process, which loads a helper
 * once, so that an `afterAll` at its top level would run after the first file only.
 */
export function afterFile(task: () => unknown): void {
  tasks.push(task)
}

/** Runs the functions of {@link afterFile}, the last one first. For `restore.ts`. */
export async function endFile(): Promise<void> {
  for (const task of tasks.splice(0).reverse()) await task()
}
