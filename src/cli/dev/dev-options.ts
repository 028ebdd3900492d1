/** Options of `blazon dev`. */
export interface DevOptions {
  readonly cwd: string
  /** The value of `--entry`. */
  readonly entry?: string
  /** The port of the first server; `undefined` for the port that the application specifies. */
  readonly port?: number
  /** `true`, or the address on which the debugger listens. */
  readonly inspect?: string | true
  /** Whether a browser page shows the routes and the requests. */
  readonly dashboard: boolean
  /** The port of that page. Default: any free port. */
  readonly dashboardPort?: number
  /** Files and folders besides the files that the application loads. Default: none. */
  readonly watch?: readonly string[]
  /** The arguments of the application. */
  readonly args: readonly string[]
}
