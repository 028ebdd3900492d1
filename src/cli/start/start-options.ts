/** The options of `blazon start`. */
export interface StartOptions {
  readonly cwd: string
  /** The module to run. Default: it is looked for. */
  readonly entry?: string | undefined
  /** The arguments of the application. */
  readonly args: readonly string[]
  /** How many workers. */
  readonly workers: number
  /** How many seconds a worker may take to be ready when it replaces another one. */
  readonly timeout: number
}
