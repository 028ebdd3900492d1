import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { atMost } from './deadline.js'
import { endGroup } from './process-group.js'
import {
  type BootError,
  type ChildMessage,
  opened,
  PARENT_VARIABLE,
  type ParentMessage,
} from './protocol.js'

/** How a process of the application is started. */
export interface AppLaunch {
  readonly entry: string
  readonly cwd: string
  /** Options of Node, such as `--import tsx`. */
  readonly nodeOptions: readonly string[]
  /** The arguments of the application. */
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
}

/** Why a process ended. */
export interface Ending {
  /** The error that ended it before it listened. */
  readonly error?: BootError | undefined
  /** `with status 1`, `by SIGKILL`. */
  readonly how: string
  /** The last text that it wrote to stderr before it listened. */
  readonly output: string
}

/** What a process tells. */
export interface AppEvents {
  message(app: AppProcess, message: ChildMessage): void
  ended(app: AppProcess, ending: Ending): void
}

const PRELOAD = fileURLToPath(new URL('./child/preload.js', import.meta.url))
/** A process that is asked to end has so long, as with the tools that run applications in production. */
const GRACE_MS = 5000
const INSPECTOR_MS = 1000
const MAX_OUTPUT_CHARS = 8000

/** A process of the application. */
export class AppProcess {
  /** Settles when it has ended. */
  readonly ended: Promise<void>
  /** In milliseconds since 1970. */
  readonly startedAt: number = Date.now()
  readonly #child: ChildProcess
  /** Connections that may not have reached the process. */
  readonly #passing = new Set<Socket>()
  #error: BootError | undefined
  #output = ''
  #inspectorClosed = () => {}

  constructor(launch: AppLaunch, events: AppEvents) {
    const { entry, cwd, nodeOptions, args } = launch
    const preload = ['--import', pathToFileURL(PRELOAD).href]
    this.#child = spawn(process.execPath, [...nodeOptions, ...preload, entry, ...args], {
      cwd,
      env: { ...launch.env, [PARENT_VARIABLE]: String(process.pid) },
      // The application gets no stdin: in a group of its own, it must not read from the terminal.
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      // Its own group: Ctrl-C reaches only the command, which ends the group with all that is in it.
      detached: process.platform !== 'win32',
    })
    this.#child.on('message', (message) => this.#receive(message, events))
    this.ended = new Promise((resolve) => {
      const finish = (how: string) => {
        endGroup(this.#child)
        resolve()
        events.ended(this, { error: this.#error, how, output: this.#output })
      }
      this.#child.once('error', (error) => finish(`: ${error.message}`))
      this.#child.once('exit', (status, signal) => {
        // Messages that the process sent before its end may still be in the channel.
        const how = signal === null ? `with status ${status}` : `by ${signal}`
        if (this.#child.connected) this.#child.once('disconnect', () => finish(how))
        else finish(how)
      })
    })
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  #receive(message: unknown, events: AppEvents): void {
    const own = opened<ChildMessage>(message)
    if (own === undefined) return
    if (own.kind === 'failed') this.#error = own.error
    else if (own.kind === 'output')
      this.#output = (this.#output + own.text).slice(-MAX_OUTPUT_CHARS)
    else if (own.kind === 'inspector-closed') this.#inspectorClosed()
    else events.message(this, own)
  }

  send(message: ParentMessage): void {
    if (this.#child.connected) this.#child.send({ blazon: message }, () => {})
  }

  /** Passes a connection to the server that listens as `id`. */
  pass(socket: Socket, id: number): void {
    if (!this.#child.connected) return void socket.destroy()
    this.#passing.add(socket)
    const message: ParentMessage = { kind: 'connection', id }
    this.#child.send({ blazon: message }, socket, {}, (error) => {
      if (error === null) this.#passing.delete(socket)
    })
  }

  /** The connections that this process has not received, after it has ended. */
  takeBack(): Socket[] {
    const sockets = [...this.#passing].filter((socket) => !socket.destroyed)
    this.#passing.clear()
    return sockets
  }

  /** Lets the process respond to what it has received, and end. */
  async retire(graceMs: number = GRACE_MS): Promise<void> {
    this.send({ kind: 'retire' })
    await atMost(graceMs, this.ended)
    await this.kill()
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    endGroup(this.#child)
    await this.ended
  }

  /** Frees the port of the debugger for the next process. */
  async closeInspector(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#inspectorClosed = resolve
    })
    this.send({ kind: 'close-inspector' })
    await atMost(INSPECTOR_MS, Promise.race([closed, this.ended]))
  }
}
