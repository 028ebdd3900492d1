/** The options of `blazon start`. */
export interface StartOptions {
  readonly cwd: string
  /** The module to run. Default: it is looked for. */
  readonly entry?: string | undefined
  /** The arguments of the application. */
  readonly args: readonly string[]
  /** How many workers. `auto`: as many as there are processors for this process. */
  readonly workers: number | 'auto'
  /** How many seconds a worker may take to be ready when it replaces another one. */
  readonly timeout: number
}
