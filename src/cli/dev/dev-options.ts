/** Options of `blazon dev`. */
export interface DevOptions {
  readonly cwd: string
  /** The value of `--entry`. */
  readonly entry?: string
  /** The port of the first server; `undefined` for the port that the application specifies. */
  readonly port?: number
  /** `true`, or the address on which the debugger listens. */
  readonly inspect?: string | true
  /** Whether to serve a dashboard in the browser, which shows the routes and the requests. */
  readonly dashboard: boolean
  /** The port of the dashboard. Default: any free port. */
  readonly dashboardPort?: number
  /** Files and folders to watch in addition to the files that the application loads. Default: none. */
  readonly watch?: readonly string[]
  /** The arguments for the application. */
  readonly args: readonly string[]
}
