import { type ChildProcess, fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { endGroup } from './app-process.js'
import { atMost } from './deadline.js'
import { type KeepRequest, type KeptResult, opened } from './protocol.js'

interface KeptProcess {
  readonly child: ChildProcess
  readonly ended: Promise<void>
  readonly reply: Promise<KeptResult>
}

/** How long a process can take to save its data, in milliseconds. */
const GRACE_MS = 5000

/**
 * Processes that outlive the application's processes, such as an embedded database. Opening the database again would
 * take most of the time of a restart, and two processes cannot open it at the same time.
 */
export class KeptProcesses {
  readonly #processes = new Map<string, KeptProcess>()
  readonly #cwd: string
  #isClosed = false

  constructor(cwd: string) {
    this.#cwd = cwd
  }

  /**
   * Starts the process, unless it is running and its folder still exists. A user can delete the folder to reset the
   * data.
   */
  async find(request: KeepRequest): Promise<KeptResult> {
    const key = `${request.module} ${request.argument}`
    const running = this.#processes.get(key)
    const result = await running?.reply
    const isIntact = result !== undefined && 'path' in result && existsSync(result.marker)
    if (isIntact && running?.child.connected === true) return result
    if (running !== undefined) await stop(running)
    if (this.#isClosed) return { message: 'The command is ending.' }
    // Another application may already have started the process.
    if (this.#processes.get(key) !== running) return await this.find(request)
    const started = this.#start(request)
    this.#processes.set(key, started)
    return await started.reply
  }

  #start({ module, argument }: KeepRequest): KeptProcess {
    const child = fork(fileURLToPath(module), [argument], {
      cwd: this.#cwd,
      execArgv: [],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      detached: process.platform !== 'win32',
    })
    const ended = new Promise<void>((resolve) => {
      for (const event of ['exit', 'error']) child.once(event, () => resolve())
    })
    const reply = new Promise<KeptResult>((resolve) => {
      child.once('message', (message) => resolve(opened(message) as KeptResult))
      void ended.then(() => resolve({ message: 'The database process ended.' }))
    })
    return { child, ended, reply }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#processes.values()].map(stop))
  }
}

async function stop({ child, ended }: KeptProcess): Promise<void> {
  if (child.connected) child.disconnect()
  await atMost(GRACE_MS, ended)
  endGroup(child)
}
