// Loaded before the application, in its process: `node --import preload.js main.js`.
import { isMainThread } from 'node:worker_threads'
import { type KeptResult, PARENT_VARIABLE, type Ports, REPORT_VARIABLE } from '../protocol.js'
import { Channel } from './channel.js'
import { reportModules } from './report-modules.js'
import { reportRequests } from './report-requests.js'
import { gateServers } from './servers.js'

function connect(): void {
  const isReporting = process.env[REPORT_VARIABLE] !== undefined
  // Programs that the application starts shall not take themselves for the application.
  delete process.env[PARENT_VARIABLE]
  delete process.env[REPORT_VARIABLE]
  const kept = new Map<number, (result: KeptResult) => void>()
  let go = (_: Ports) => {}
  const gate = new Promise<Ports>((resolve) => {
    go = resolve
  })
  const channel = new Channel((message) => {
    if (message.kind === 'go') go(message)
    else kept.get(message.id)?.(message.result)
  })
  reportModules(channel)
  gateServers(channel, gate)
  if (isReporting) reportRequests(channel)
  // Code of this package calls these functions, in any copy of it.
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

// Programs and threads that the application starts inherit Node's options, and load this file, too.
const isStartedByCommand = process.ppid === Number(process.env[PARENT_VARIABLE])
if (isMainThread && isStartedByCommand && process.send !== undefined) connect()
