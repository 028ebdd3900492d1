import { existsSync, lstatSync } from 'node:fs'
import type { Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { dirname } from 'node:path'
import type { Logger } from '../contracts/logger.js'
import type { Token } from '../contracts/provider.js'
import type { DeclaredApp } from './declared-app.js'
import { closedError, type LifecycleHooks } from './lifecycle.js'
import {
  checkPort,
  type ListenOptions,
  type ListenPlace,
  listenOptions,
} from './settings/listen-options.js'
import { findWorkerLink, listenInTurn } from './worker-link.js'

/** Where and how an application should listen. */
export interface ListenRequest {
  readonly place: ListenPlace
  readonly options: ListenOptions
}

/**
 * Reads the arguments of `listen`.
 *
 * @throws RangeError if `port` is neither a port number nor the path of a socket.
 */
export function readListen(port: number | string, where: string | ListenOptions): ListenRequest {
  checkPort(port)
  const options = listenOptions(where, findWorkerLink())
  return { place: { port, host: options.host }, options }
}

/** The application that listens. */
export interface ListeningApp {
  readonly app: { get<T>(token: Token<T>): T }
  readonly declared: DeclaredApp
  /** Starts the application if it has not started yet. */
  readonly start: () => Promise<{ readonly server: Server; readonly hooks: LifecycleHooks }>
  readonly isClosing: () => boolean
  /** Returns the promise that `began` received last. */
  readonly earlier: () => Promise<AddressInfo | string> | undefined
  /** Receives the promise for the address, so that closing can wait for it. */
  readonly began: (listening: Promise<AddressInfo | string>) => void
}

/** Starts an application and listens. A worker of `blazon start` first waits for its turn. */
export async function startListening(
  { app, declared, start, isClosing, earlier, began }: ListeningApp,
  place: ListenPlace,
): Promise<AddressInfo | string> {
  let hooks: LifecycleHooks | undefined
  const closeMs = () => {
    const { closeMs: graceMs, preStopMs } = declared.settings.timeouts
    return preStopMs + (hooks?.longestClose(graceMs) ?? graceMs)
  }
  return await listenInTurn(app, closeMs, async () => {
    const running = await start()
    hooks = running.hooks
    const listening = listenAfter(earlier(), () => {
      // `close` may have been called while the application was starting.
      if (isClosing()) throw closedError()
      return listen(running.server, place)
    })
    began(listening)
    return await listening
  })
}

/** Listens when an earlier call has ended. Until a host name is resolved, Node would accept a second call. */
async function listenAfter<T>(earlier: Promise<T> | undefined, run: () => Promise<T>): Promise<T> {
  await earlier?.catch(() => {})
  return await run()
}

/** The application whose start is logged. */
export interface StartedApp {
  readonly declared: DeclaredApp
  readonly logger: Logger
  readonly startMs: number
}

/** Logs where an application listens. */
export function announceStart(
  { declared, logger, startMs }: StartedApp,
  address: AddressInfo | string,
): void {
  const routes = declared.description.model.routes.length
  logStart({ logger, address, routes, startMs, documents: declared.documents })
}

/** The input of {@link logStart}. */
interface Start {
  readonly logger: Logger
  /** The address that the server reports. */
  readonly address: AddressInfo | string
  readonly routes: number
  readonly startMs: number
  /** The documents of the application. */
  readonly documents: readonly { readonly path: string; readonly isEnabled: boolean }[]
}

/**
 * Logs where an application listens, how many routes it has, and how long the start took. Outside production, it also
 * logs where the documentation is.
 */
function logStart({ logger, address, routes, startMs, documents }: Start): void {
  const url = urlOf(address)
  const ms = Math.round(startMs)
  const count = `${routes} ${routes === 1 ? 'route' : 'routes'}`
  const path = process.env['NODE_ENV'] === 'production' ? undefined : pageOf(documents)
  const docs = path === undefined || !url.startsWith('http') ? undefined : url + path
  logger.info(
    { url, routes, startMs: ms, ...(docs !== undefined && { docs }) },
    `Listening on ${url} with ${count}, started in ${ms} ms${docs === undefined ? '' : `; documentation: ${docs}`}`,
  )
}

function pageOf(documents: Start['documents']): string | undefined {
  return documents.find(({ isEnabled }) => isEnabled)?.path
}

/**
 * Returns a URL that a browser can open; for a socket, `unix:` and its path. An address for all interfaces is replaced,
 * because it cannot be opened.
 */
function urlOf(address: AddressInfo | string): string {
  if (typeof address === 'string') return `unix:${address}`
  const { address: host, port } = address
  if (host === '::' || host === '0.0.0.0') return `http://localhost:${port}`
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Starts listening. Rejects if the server cannot listen: for example, because the port is in use. */
function listen(server: Server, { port, host }: ListenPlace): Promise<AddressInfo | string> {
  return new Promise((resolve, reject) => {
    const refuse = (error: unknown) => void explainListening(error, port).then(reject, reject)
    server.once('error', refuse)
    const place =
      typeof port === 'string' ? { path: port } : { port, ...(host !== undefined && { host }) }
    try {
      server.listen(place, () => {
        server.off('error', refuse)
        // A server that listens has an address.
        resolve(server.address() as AddressInfo | string)
      })
    } catch (error) {
      server.off('error', refuse)
      reject(error)
    }
  })
}

/**
 * Adds the cause and a remedy to the message of a `server.listen` error. The error remains the same object, with its
 * `code`.
 *
 * @param place The port, or the path of a socket.
 */
async function explainListening(error: unknown, place: number | string): Promise<unknown> {
  if (!(error instanceof Error)) return error
  const { code } = error as NodeJS.ErrnoException
  const reason =
    typeof place === 'string' ? await reasonOfPath(code, place) : reasonOfPort(code, place)
  if (reason !== null) error.message += `. ${reason}`
  return error
}

function reasonOfPort(code: string | undefined, port: number): string | null {
  if (code !== 'EADDRINUSE') return null
  return `Port ${port} is already in use: stop the program that uses it, or choose another port.`
}

async function reasonOfPath(code: string | undefined, path: string): Promise<string | null> {
  // Node reports a missing folder as a missing permission.
  if (code === 'EACCES' && !existsSync(dirname(path))) {
    return `The folder ${dirname(path)} does not exist: create it, or choose another path.`
  }
  if (code !== 'EADDRINUSE') return null
  // Windows does not list pipes as files.
  const file = lstatSync(path, { throwIfNoEntry: false })
  if (file !== undefined && !file.isSocket()) {
    return 'The path belongs to a file or folder that is not a socket: choose another path.'
  }
  return (await isStale(path))
    ? 'No program listens on this socket: a killed process left it behind. Remove the file, and start again.'
    : 'This path is already in use: stop the program that uses it, or choose another path.'
}

/** Whether no process is listening on the socket. */
function isStale(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ path })
    socket.once('connect', () => {
      socket.destroy()
      resolve(false)
    })
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'))
  })
}
