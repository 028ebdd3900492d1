import { randomBytes } from 'node:crypto'
import { CliError } from '../../cli-error.js'
import { replayCommand } from './copied-commands.js'
import {
  DashboardServer,
  type PageFiles,
  readPageFiles,
  type SendQuery,
} from './dashboard-server.js'
import { Journal } from './journal.js'
import type { ReportedRequest, RoutesView } from './views.js'

/**
 * Prints in the terminal how to replay a failed request. Several failures of a route with the same error class are
 * printed only once, until the code changes.
 */
export class CapsuleNotes {
  readonly #note: (line: string) => void
  readonly #told = new Set<string>()

  constructor(note: (line: string) => void) {
    this.#note = note
  }

  add({ record: { method, url, route, error, status }, capsule }: ReportedRequest): void {
    if (capsule === null) return
    const target = route === null ? `${method} ${url}` : `${route.method} ${route.path}`
    const failure = `${target} ${error?.name ?? status}`
    if (this.#told.has(failure)) return
    this.#told.add(failure)
    this.#note(`blazon dev: ${target} failed. To run it again: ${replayCommand(capsule)}`)
  }

  /** Allows all failures to be printed again, because the application has restarted with changed code. */
  restart(): void {
    this.#told.clear()
  }
}

const TOKEN_BYTES = 24

/** The configuration of {@link Dashboard}. */
export interface DashboardConfig {
  /** The port; 0 means any free port. */
  readonly port: number
  /** The page's files. Default: the files from the build. */
  readonly files?: PageFiles
  /** Writes a line to the terminal. */
  readonly note: (line: string) => void
}

/**
 * The dashboard of `blazon dev`. It collects the reports from the application's processes and shows them in a browser.
 */
export class Dashboard {
  /** The address with the token. The token is in the fragment, which browsers do not send to servers. */
  readonly url: string
  readonly #server: DashboardServer
  readonly #journal: Journal
  readonly #notes: CapsuleNotes
  /** The routes of each process, which can have several applications. */
  readonly #routes = new WeakMap<object, RoutesView>()
  #serving: object | undefined

  private constructor(url: string, server: DashboardServer, note: DashboardConfig['note']) {
    this.url = url
    this.#server = server
    this.#journal = server.journal
    this.#notes = new CapsuleNotes(note)
  }

  /**
   * Opens the dashboard.
   *
   * @throws CliError if the server cannot listen on the port.
   */
  static async open({ port, files = readPageFiles(), note }: DashboardConfig): Promise<Dashboard> {
    const token = randomBytes(TOKEN_BYTES).toString('base64url')
    const server = new DashboardServer(files, new Journal(), token)
    const opened = await server.listen(port).catch((error: NodeJS.ErrnoException) => {
      throw noPort(port, error)
    })
    return new Dashboard(`http://127.0.0.1:${opened}/#token=${token}`, server, note)
  }

  /** Records the routes of an application that has started. */
  addRoutes(app: object, routes: RoutesView): void {
    const all = [...(this.#routes.get(app) ?? []), ...routes]
    this.#routes.set(app, all)
    if (app === this.#serving) this.#journal.routes = all
  }

  add(request: ReportedRequest): void {
    this.#journal.add(request)
    this.#notes.add(request)
  }

  starting(): void {
    this.#journal.setState('starting')
  }

  /** Records that a process has started to listen on a port. */
  serves(app: { readonly query: SendQuery }, port: number): void {
    this.#serving = app
    this.#server.query = (query) => app.query(query)
    this.#notes.restart()
    this.#server.origin = `http://localhost:${port}`
    this.#journal.routes = this.#routes.get(app) ?? []
    this.#journal.setState('serving')
  }

  /**
   * Records that the application did not start, or has ended.
   *
   * @param failure The reason, as a sentence.
   */
  failed(failure: string): void {
    this.#journal.setState('failed', failure)
  }

  close(): void {
    this.#server.close()
  }
}

function noPort(port: number, error: NodeJS.ErrnoException): CliError {
  return new CliError({
    status: 2,
    what: `The dashboard cannot listen on port ${port}.`,
    cause: error.code === 'EADDRINUSE' ? 'Another program is using the port.' : error.message,
    remedy: 'Choose another port with --dashboard-port, or disable the dashboard: --no-dashboard.',
  })
}
