import { type ChildProcess, fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { atMost } from './deadline.js'
import { endGroup } from './process-group.js'
import { type KeptResult, opened } from './protocol.js'

/** What a process of the application asks for. */
export interface KeepRequest {
  /** The URL of the module that the process runs. */
  readonly module: string
  readonly argument: string
}

interface KeptProcess {
  readonly child: ChildProcess
  readonly ended: Promise<unknown>
  readonly reply: Promise<KeptResult & { readonly marker?: string }>
}

/** The time that a process has to save its data. */
const GRACE_MS = 5000

/**
 * Processes that outlive those of the application, such as an embedded database, which would take most of the time of a
 * restart, and which two processes cannot open.
 */
export class KeptProcesses {
  readonly #processes = new Map<string, KeptProcess>()
  readonly #cwd: string
  #isClosed = false

  constructor(cwd: string) {
    this.#cwd = cwd
  }

  /** Starts the process, unless it runs. */
  async find(request: KeepRequest): Promise<KeptResult> {
    const key = `${request.module} ${request.argument}`
    const running = this.#processes.get(key)
    if (running !== undefined && (await isIntact(running))) return await running.reply
    if (running !== undefined) await stop(running)
    if (this.#isClosed) return { message: 'The command ends.' }
    const started = this.#start(request, key)
    return await started.reply
  }

  #start({ module, argument }: KeepRequest, key: string): KeptProcess {
    const child = fork(fileURLToPath(module), [argument], {
      cwd: this.#cwd,
      execArgv: [],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      detached: process.platform !== 'win32',
    })
    const ended = new Promise((resolve) => {
      child.once('exit', resolve)
      child.once('error', resolve)
    })
    const reply = new Promise<KeptResult>((resolve) => {
      child.once('message', (message) => resolve(opened<KeptResult>(message) as KeptResult))
      void ended.then(() => resolve({ message: 'The process of the database ended.' }))
    })
    const started = { child, ended, reply }
    this.#processes.set(key, started)
    const forget = () => {
      if (this.#processes.get(key) === started) this.#processes.delete(key)
    }
    void ended.then(forget)
    // The next process of the application tries again.
    void reply.then((result) => 'path' in result || forget())
    return started
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#processes.values()].map(stop))
  }
}

/** Whether the folder still is the one that was opened: a user may delete it to begin anew. */
async function isIntact({ reply }: KeptProcess): Promise<boolean> {
  const { marker } = await reply
  return marker === undefined || existsSync(marker)
}

async function stop({ child, ended }: KeptProcess): Promise<void> {
  if (child.connected) child.disconnect()
  await atMost(GRACE_MS, ended)
  endGroup(child)
}
