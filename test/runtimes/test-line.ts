/** What `run-file.ts` writes: the number of tests of the file, then one line for each. */
export interface TestLine {
  /** The name of the test; of `collected`, the number of tests. */
  readonly name: string
  /** `broken`: an error outside of tests. */
  readonly state: 'collected' | 'passed' | 'failed' | 'skipped' | 'broken'
  /** The errors with their stacks. */
  readonly message: string
}
