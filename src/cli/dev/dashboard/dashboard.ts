import { randomBytes } from 'node:crypto'
import { CliError } from '../../cli-error.js'
import { atMost } from '../deadline.js'
import type { Failure } from '../failure.js'
import { CapsuleNotes } from './capsule-notes.js'
import { copiedTestStyle } from './copied-test-style.js'
import { DashboardServer } from './dashboard-server.js'
import { type Change, Journal } from './journal.js'
import { type PageFiles, readPageFiles } from './page-files.js'
import { type AppAddress, type Replayed, replay } from './replay.js'
import type { AppView, ReplayOrder, ReplayResult, ReportedRequest } from './views.js'

/** How long a replay waits until the application has reported the new request. */
const REPORT_MS = 1000
const TOKEN_BYTES = 24
const DEFAULT_ADDRESS: AppAddress = { host: '127.0.0.1', port: 3000 }

/** The input of {@link Dashboard}. */
export interface DashboardConfig {
  /** 0 is any free port. */
  readonly port: number
  /** Where the application listens; `undefined` while it does not. */
  readonly address: () => AppAddress | undefined
  /** Default: those of the build. */
  readonly files?: PageFiles
  /** The folder of the project, for copies as tests. */
  readonly cwd: string
  /** Writes a line to the terminal. */
  readonly note: (line: string) => void
}

/** A process of the application: only its identity counts here. */
type Identity = object

/** The dashboard of `blazon dev`: collects what the processes of the application report, and shows it to a browser. */
export class Dashboard {
  /** The address with the token, behind `#`, which browsers send to no server. */
  readonly url: string
  readonly #journal: Journal
  readonly #server: DashboardServer
  readonly #notes: CapsuleNotes
  readonly #apps = new WeakMap<Identity, AppView>()
  #serving: Identity | undefined

  private constructor(parts: {
    readonly url: string
    readonly journal: Journal
    readonly server: DashboardServer
    readonly notes: CapsuleNotes
  }) {
    this.url = parts.url
    this.#journal = parts.journal
    this.#server = parts.server
    this.#notes = parts.notes
  }

  /** @throws CliError if another program has the port. */
  static async open({
    port,
    address,
    files = readPageFiles(),
    cwd,
    note,
  }: DashboardConfig): Promise<Dashboard> {
    const journal = new Journal(() => copiedTestStyle(cwd))
    const token = randomBytes(TOKEN_BYTES).toString('base64url')
    const server = new DashboardServer({
      files,
      journal,
      token,
      origin: () => originOf(address() ?? DEFAULT_ADDRESS),
      replay: (number, order) => sendAgain({ journal, number, order, address }),
    })
    const opened = await server.listen(port).catch((error: NodeJS.ErrnoException) => {
      throw noPort(port, error)
    })
    const url = `http://127.0.0.1:${opened}/#token=${token}`
    return new Dashboard({ url, journal, server, notes: new CapsuleNotes(note) })
  }

  /** An application of a process has started. A process may have several. */
  addRoutes(app: Identity, routes: AppView['routes']): void {
    const known = this.#viewOf(app)
    this.#keep(app, { ...known, routes: [...known.routes, ...routes] })
  }

  addWarnings(app: Identity, warnings: AppView['warnings']): void {
    const known = this.#viewOf(app)
    this.#keep(app, { ...known, warnings: [...known.warnings, ...warnings] })
  }

  #viewOf(app: Identity): AppView {
    return this.#apps.get(app) ?? { routes: [], warnings: [] }
  }

  #keep(app: Identity, view: AppView): void {
    this.#apps.set(app, view)
    if (app === this.#serving) this.#journal.setApp(view)
  }

  add(request: ReportedRequest): void {
    this.#journal.add(request)
    this.#notes.add(request)
  }

  starting(): void {
    this.#journal.setPhase('starting')
  }

  /** Requests go to this process from now on. */
  serves(app: Identity): void {
    this.#serving = app
    this.#notes.restart()
    this.#journal.setPhase('serving')
    this.#journal.setApp(this.#viewOf(app))
  }

  /** @param isServed Whether the process before it serves. */
  failed({ title, details }: Failure, isServed: boolean): void {
    this.#journal.setPhase('failed', { title, details, isServed })
  }

  close(): void {
    this.#server.close()
  }
}

function originOf({ host, port }: AppAddress): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

function noPort(port: number, error: NodeJS.ErrnoException): CliError {
  return new CliError({
    status: 2,
    what: `The dashboard cannot listen at port ${port}.`,
    cause: error.code === 'EADDRINUSE' ? 'Another program has the port.' : error.message,
    remedy: 'Choose another port by --dashboard-port, or leave the dashboard out: --no-dashboard.',
  })
}

interface Sending {
  readonly journal: Journal
  readonly number: number
  readonly order: ReplayOrder
  readonly address: () => AppAddress | undefined
}

function sendAgain({
  journal,
  number,
  order,
  address,
}: Sending): Promise<ReplayResult> | undefined {
  const request = journal.reported(number)
  if (request === undefined) return undefined
  const place = address()
  if (place === undefined) return Promise.reject(new Error('The application does not listen yet.'))
  return sendAndFind(journal, request, () => replay(request, order, place))
}

/** Sends a request, and waits for what the application reports about it. */
async function sendAndFind(
  journal: Journal,
  { record }: ReportedRequest,
  send: () => Promise<Replayed>,
): Promise<ReplayResult> {
  const { method, url } = record
  const path = url.split('?', 1)[0]
  const fresh: number[] = []
  let wake = () => {}
  const stop = journal.watch((change: Change) => {
    if (change.name !== 'request') return
    const isSame = change.data.method === method && change.data.url.split('?', 1)[0] === path
    if (isSame) fresh.push(change.data.number)
    wake()
  })
  try {
    const { status, id } = await send()
    const find = () => fresh.find((each) => id === null || isOf(journal, each, id)) ?? null
    const arrived = new Promise<void>((resolve) => {
      wake = () => find() !== null && resolve()
      wake()
    })
    await atMost(REPORT_MS, arrived)
    return { status, request: find() ?? fresh.at(-1) ?? null }
  } finally {
    stop()
  }
}

function isOf(journal: Journal, number: number, id: string): boolean {
  return journal.reported(number)?.record.id === id
}
