import { createHash, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { iconContent } from '../../../features/docs/page-parts.js'
import { every } from '../deadline.js'
import type { WorkQuery, WorkReply } from '../protocol.js'
import { type Journal, KEPT_REQUESTS } from './journal.js'

/** The only address on which the server listens, so that other machines cannot connect. */
const LOOPBACK = '127.0.0.1'

/** Sends a query to an application about the work that its plugins list. */
export type SendQuery = (query: WorkQuery) => Promise<WorkReply>

/** Serves the dashboard, only to this machine. */
export class DashboardServer {
  /** The origin at which the application listens. */
  origin = 'http://localhost:3000'
  /** Sends a query about work to the application that is currently serving. */
  query: SendQuery = async () => ({ message: 'The application is not running.' })
  readonly journal: Journal
  readonly #files: PageFiles
  readonly #token: string
  readonly #server: Server = createServer((req, res) => this.#handle(req, res))
  readonly #streams = new Set<() => void>()

  constructor(files: PageFiles, journal: Journal, token: string) {
    this.#files = files
    this.journal = journal
    this.#token = token
  }

  /**
   * Starts listening.
   *
   * @param port The port; 0 means any free port.
   * @returns the port.
   * @throws Node's Error if the server cannot listen on the port, for example because another program uses it.
   */
  async listen(port: number): Promise<number> {
    this.#server.listen({ port, host: LOOPBACK })
    await once(this.#server, 'listening')
    return (this.#server.address() as { readonly port: number }).port
  }

  close(): void {
    for (const end of this.#streams) end()
    this.#server.close()
    this.#server.closeAllConnections()
  }

  #handle(req: IncomingMessage, res: ServerResponse): void {
    for (const [name, value] of Object.entries(PAGE_HEADERS)) res.setHeader(name, value)
    const [path = ''] = (req.url ?? '').split(/[?#]/, 1)
    const file = this.#files.get(path)
    const refusal = refusalOf(req, file === undefined ? 'data' : 'page', this.#token)
    if (refusal !== null) return sendJson(res, 403, { message: refusal })
    const query = workQuery(req.method, path)
    if (query !== null) return void this.#sendReply(res, query)
    // Only the queries above change any state.
    if (req.method !== 'GET') return sendJson(res, 405, { message: 'The method must be GET.' })
    if (path === '/data/events') return this.#openStream(res)
    if (path === '/data/routes') return sendJson(res, 200, this.journal.routes)
    const [, number] = /^\/data\/requests\/(\d{1,9})$/.exec(path) ?? []
    if (number !== undefined) return this.#sendRequest(res, Number(number))
    if (file === undefined) return sendJson(res, 404, { message: 'The page was not found.' })
    res.writeHead(200, { 'content-type': file.type }).end(file.body)
  }

  #openStream(res: ServerResponse): void {
    res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
    const end = sendEvents(this.journal, res)
    this.#streams.add(end)
    res.once('close', () => this.#streams.delete(end))
  }

  async #sendReply(res: ServerResponse, query: WorkQuery): Promise<void> {
    const reply = await this.query(query)
    if ('value' in reply) sendJson(res, 200, reply.value)
    else sendJson(res, 502, reply)
  }

  #sendRequest(res: ServerResponse, number: number): void {
    const view = this.journal.view(number, this.origin)
    if (view !== undefined) return sendJson(res, 200, view)
    const message = `This request is no longer stored: only the last ${KEPT_REQUESTS} requests are stored.`
    sendJson(res, 404, { message })
  }
}

function sendJson(res: ServerResponse, status: number, data: unknown): void {
  res.writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
  res.end(JSON.stringify(data))
}

/** Matches the path of an action: the number of its list, its name, and the ID of an item. */
const ACTION = /^\/data\/work\/(\d{1,3})\/(\w{1,40})\/([^/]{1,400})$/

/** Returns the query about work that a request contains; `null` if it contains none. Only `POST` changes any state. */
function workQuery(method: string | undefined, path: string): WorkQuery | null {
  if (method === 'GET') return path === '/data/work' ? { do: 'list' } : null
  const [, part, action = '', item = ''] = ACTION.exec(path) ?? []
  if (method !== 'POST' || part === undefined) return null
  try {
    return { do: 'act', part: Number(part), action, item: decodeURIComponent(item) }
  } catch {
    return null
  }
}

/**
 * The interval of the comments in the stream, in milliseconds. They keep an idle connection open, and let the server
 * detect a broken connection.
 */
const HEARTBEAT_MS = 15_000

/**
 * The maximum number of unsent bytes. If more bytes wait, the browser has probably suspended the page, so the
 * connection is closed. The page reconnects later and receives the full state again.
 */
const MOST_BYTES_WAITING = 4_000_000

/**
 * Sends the state of a journal, then its changes, until the client disconnects. Returns a function that ends the
 * stream.
 */
function sendEvents(journal: Journal, res: ServerResponse): () => void {
  const send = (name: string, data: unknown) => {
    res.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)
    if (res.writableLength > MOST_BYTES_WAITING) res.destroy()
  }
  send('snapshot', journal.snapshot)
  const stopWatching = journal.watch(({ name, data }) => send(name, data))
  const stopHeartbeat = every(HEARTBEAT_MS, () => void res.write(': still there\n\n'))
  const stop = () => {
    stopWatching()
    stopHeartbeat()
  }
  res.once('close', stop)
  return () => {
    stop()
    res.end()
  }
}

/** The resource that a request concerns: a file of the page, which contains no data, or the data. */
type Wanted = 'page' | 'data'

/**
 * Host names of this machine. Other names are refused, because another site could map its own name to this address
 * (DNS rebinding).
 */
const OWN_HOST = /^(?:127\.0\.0\.1|localhost)(?::\d{1,5})?$/i
const BEARER = /^Bearer ([\w-]+)$/i

/**
 * Returns the reason why a request is refused, as a sentence; `null` if the request is allowed. A request for data
 * needs the token. If a browser sends the request, the request must also come from the page itself. The token is not in
 * a cookie: cookies ignore ports, so every server on this machine would receive it.
 */
function refusalOf(req: IncomingMessage, wanted: Wanted, token: string): string | null {
  const { hostDistinct, origin, site, mode, dest, authorization } = headersOf(req)
  const [host = ''] = hostDistinct
  if (hostDistinct.length !== 1 || !OWN_HOST.test(host)) {
    return 'Host must be 127.0.0.1 or localhost.'
  }
  if (origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`) {
    return 'Pages of other origins must not send requests.'
  }
  const isVisit = wanted === 'page' && mode === 'navigate' && dest === 'document'
  if (!isVisit && !isOwnSite(site, wanted)) return 'Pages of other sites must not send requests.'
  if (wanted === 'page' || isToken(authorization, token)) return null
  return 'The token is missing or invalid. Open the address that `blazon dev` printed.'
}

function headersOf({ headers, headersDistinct }: IncomingMessage) {
  const { origin, authorization } = headers
  const { host: hostDistinct = [] } = headersDistinct
  const [site, mode, dest] = ['site', 'mode', 'dest'].map((name) => headers[`sec-fetch-${name}`])
  return { hostDistinct, origin, authorization, site, mode, dest }
}

/**
 * Whether a request comes from the page itself. Old browsers do not send `Sec-Fetch-Site`, but the other checks still
 * apply.
 */
function isOwnSite(site: unknown, wanted: Wanted): boolean {
  if (site === undefined || site === 'same-origin') return true
  // The user has typed the address, or has opened it from a terminal.
  return wanted === 'page' && site === 'none'
}

function isToken(authorization: string | undefined, token: string): boolean {
  const given = BEARER.exec(authorization ?? '')?.[1]
  return given !== undefined && timingSafeEqual(digest(given), digest(token))
}

/** Returns a hash, because `timingSafeEqual` requires equal lengths. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** A file of the page. */
interface PageFile {
  readonly type: string
  readonly body: string | Buffer
}

/** The page's files, keyed by the paths at which they are served. */
export type PageFiles = ReadonlyMap<string, PageFile>

/**
 * Reads the page's files.
 *
 * @param folder The folder of the files. Default: the folder beside this module, where the build has put them.
 */
export function readPageFiles(folder: URL = new URL('./page/', import.meta.url)): PageFiles {
  const read = (name: string) => readFileSync(new URL(name, folder))
  return new Map<string, PageFile>([
    ['/', { type: 'text/html; charset=utf-8', body: read('page.html') }],
    ['/page.css', { type: 'text/css; charset=utf-8', body: read('page.css') }],
    ['/page.js', { type: 'text/javascript; charset=utf-8', body: read('page.js') }],
    ['/icon.svg', { type: 'image/svg+xml', body: iconContent().bytes }],
  ])
}

/**
 * The headers of each response. The content security policy allows only the page's own files. It forbids inline scripts
 * and styles, markup that is created from strings, other origins, and framing by other pages.
 */
const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}
