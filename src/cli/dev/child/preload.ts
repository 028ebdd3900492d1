// The preload module of the application's process, loaded before the application: `node --import preload.js main.js`.
import module from 'node:module'
import { Server } from 'node:net'
import { isMainThread } from 'node:worker_threads'
import type { ReportedWork } from '../../../app/dev/dev-report.js'
import { messageOf } from '../../texts.js'
import {
  type KeptResult,
  PARENT_VARIABLE,
  type ParentMessage,
  type Ports,
  REPORT_VARIABLE,
  type WorkQuery,
  type WorkReply,
} from '../protocol.js'
import { Channel, reportRequests } from './report-requests.js'

interface Hooks {
  resolve(
    specifier: string,
    context: { readonly parentURL?: string | undefined },
    next: (specifier: string, context: object) => { readonly url: string },
  ): { readonly url: string }
}

/** `registerHooks` exists in Node 22.15 and later, but the types are for Node 20. */
const { registerHooks } = module as unknown as { registerHooks?: (hooks: Hooks) => void }

/** Reports to the command which files the application loads, and which of its own files are missing. */
function reportModules(channel: Channel): void {
  const report = (url: string) => channel.send({ kind: 'files', urls: [url] })
  registerHooks?.({
    resolve(specifier, context, next) {
      try {
        const result = next(specifier, context)
        report(result.url)
        return result
      } catch (error) {
        if (/^\.{0,2}\//.test(specifier)) report(new URL(specifier, context.parentURL).href)
        throw error
      }
    },
  })
  // Without these hooks, Node itself reports modules to the command, but not all missing modules.
  process.on('uncaughtExceptionMonitor', (error: { readonly url?: unknown } | null) => {
    if (typeof error?.url === 'string') report(error.url)
  })
}

function connect(): void {
  const isReporting = process.env[REPORT_VARIABLE] !== undefined
  // The application's child processes must not inherit these variables.
  delete process.env[PARENT_VARIABLE]
  delete process.env[REPORT_VARIABLE]
  const kept = new Map<number, (result: KeptResult) => void>()
  let go = (_: Ports) => {}
  const gate = new Promise<Ports>((resolve) => {
    go = resolve
  })
  const channel = new Channel((message) => {
    if (message.kind === 'go') go(message)
    else if (message.kind === 'query') void reply(message)
    else kept.get(message.id)?.(message.result)
  })
  reportModules(channel)
  gateServers(channel, gate)
  const works = isReporting ? reportRequests(channel) : []
  const reply = async ({ id, query }: Extract<ParentMessage, { kind: 'query' }>) =>
    channel.send({ kind: 'reply', id, reply: await runQuery(works, query) })
  // These functions are global, so that every copy of this package finds them.
  define('blazon.watch', (path: string) => channel.send({ kind: 'folder', path }))
  define('blazon.keep', (module: string, argument: string) => {
    const id = kept.size
    const result = new Promise<KeptResult>((resolve) => kept.set(id, resolve))
    channel.send({ kind: 'keep', id, module, argument })
    return channel.wait(result)
  })
}

function define(name: string, value: unknown): void {
  Object.defineProperty(globalThis, Symbol.for(name), { value })
}

// Programs and threads that the application starts inherit Node's options, so they also load this file.
const isStartedByCommand = process.ppid === Number(process.env[PARENT_VARIABLE])
if (isMainThread && isStartedByCommand && process.send !== undefined) connect()

type Listen = (this: Server, ...args: unknown[]) => Server

/** Delays `listen` for each of the application's servers until the previous process has ended. */
function gateServers(channel: Channel, gate: Promise<Ports>): void {
  const real = Server.prototype.listen as Listen
  let count = 0
  const listen: Listen = function listen(...args) {
    const id = ++count
    this.once('listening', () => {
      const address = this.address()
      const port = typeof address === 'object' ? (address?.port ?? 0) : 0
      channel.send({ kind: 'listening', id, port })
    })
    channel.send({ kind: 'listen' })
    void channel.wait(gate).then((ports) => real.apply(this, withPort(args, ports, id)))
    return this
  }
  Server.prototype.listen = listen as typeof Server.prototype.listen
}

/** Returns the arguments for `listen`, with the port that the server should use. */
function withPort(args: unknown[], { first, last }: Ports, id: number): unknown[] {
  const [place, ...rest] = args
  const asked = portOf(place)
  if (asked === undefined) return args
  const port = (id === 1 ? first : undefined) ?? (asked === 0 ? last[id] : undefined) ?? asked
  if (typeof place === 'object' && place !== null) return [{ ...place, port }, ...rest]
  return [port, ...(typeof place === 'function' ? args : rest)]
}

/**
 * Returns the port that an application specifies; `undefined` for a path, a handle or a descriptor, and for values that
 * Node refuses.
 */
function portOf(place: unknown): number | undefined {
  if (place == null || typeof place === 'function') return 0
  const isObject = typeof place === 'object'
  if (isObject && !('port' in place)) return undefined
  const port = Number((isObject ? (place as { readonly port: unknown }).port : place) ?? 0)
  return Number.isInteger(port) && port >= 0 && port <= 65_535 ? port : undefined
}

/** Runs a query from the command about the work that this process's plugins list. */
async function runQuery(parts: readonly ReportedWork[], query: WorkQuery): Promise<WorkReply> {
  try {
    if (query.do === 'list') return { value: await Promise.all(parts.map((part) => part.list())) }
    const part = parts[query.part]
    if (part === undefined) throw new Error('The application has no such list.')
    return { value: await part.act(query.action, query.item) }
  } catch (error) {
    return { message: messageOf(error) }
  }
}
