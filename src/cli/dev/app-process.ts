import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import module from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { launchFor } from '../load/run-child.js'
import { atMost } from './deadline.js'
import type { DevOptions } from './dev-options.js'
import {
  type ChildMessage,
  opened,
  PARENT_VARIABLE,
  type ParentMessage,
  REPORT_VARIABLE,
  type WorkQuery,
  type WorkReply,
} from './protocol.js'

/** The time limit for a reply from the application, in milliseconds. */
const REPLY_MS = 10_000
const PRELOAD = new URL('./child/preload.js', import.meta.url)
/** The configuration of {@link AppProcess}. */
export interface AppProcessConfig {
  readonly entry: string
  readonly options: DevOptions
  readonly receive: (app: AppProcess, message: ChildMessage) => void
  /** Runs when the process ends, unless the command ended it. `how` is `with status 1` or `by SIGKILL`, for example. */
  readonly onEnd: (app: AppProcess, how: string) => void
}

/** A process that runs the application. */
export class AppProcess {
  /** Settles when the process has ended. */
  readonly ended: Promise<void>
  /** The start time, in milliseconds since 1970. */
  readonly startedAt: number = Date.now()
  readonly #child: ChildProcess
  #ending: Promise<void> | undefined
  /** The functions that wait for a reply, keyed by the number of the query. */
  readonly #waiting = new Map<number, (reply: WorkReply) => void>()
  #queries = 0

  constructor({ entry, options, receive, onEnd }: AppProcessConfig) {
    const { cwd, args } = options
    const launch = launchFor(entry, cwd)
    const nodeOptions = [...optionsOf(options), ...launch.nodeOptions, '--import', PRELOAD.href]
    const child = spawn(process.execPath, [...nodeOptions, entry, ...args], {
      cwd,
      env: { ...launch.env, ...process.env, ...environmentOf(options) },
      // The application is in its own process group, so it must not read from the terminal.
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      // Ctrl-C reaches only the command, which then ends the whole process group.
      detached: process.platform !== 'win32',
    })
    this.#child = child
    child.on('message', (message) => {
      for (const own of messagesOf(message)) {
        if (own.kind === 'reply') this.#waiting.get(own.id)?.(own.reply)
        else receive(this, own)
      }
    })
    this.ended = new Promise((resolve) => {
      const finish = (how: string) => {
        endGroup(child)
        resolve()
        if (this.#ending === undefined) onEnd(this, how)
      }
      child.once('error', (error) => finish(`: ${error.message}`))
      child.once('exit', (code, signal) => finish(signal ? `by ${signal}` : `with status ${code}`))
    })
  }

  send(message: ParentMessage): void {
    if (this.#child.connected) this.#child.send({ blazon: message }, () => {})
  }

  /** Sends a query about the work that the application's plugins list, and waits for the reply. */
  async query(query: WorkQuery): Promise<WorkReply> {
    const id = ++this.#queries
    let reply: WorkReply = { message: 'The application does not respond.' }
    const replied = new Promise<void>((resolve) => {
      this.#waiting.set(id, (given) => {
        reply = given
        resolve()
      })
    })
    this.send({ kind: 'query', id, query })
    await atMost(REPLY_MS, Promise.race([replied, this.ended]))
    this.#waiting.delete(id)
    return reply
  }

  /**
   * Sends SIGTERM, and kills the remaining processes after `graceMs` milliseconds. Settles when the process has ended.
   */
  end(graceMs: number): Promise<void> {
    this.#ending ??= this.#end(graceMs)
    return this.#ending
  }

  async #end(graceMs: number): Promise<void> {
    this.#child.kill('SIGTERM')
    await atMost(graceMs, this.ended)
    endGroup(this.#child)
    await this.ended
  }

  kill(): Promise<void> {
    endGroup(this.#child)
    return this.end(0)
  }
}

/** Returns the path of the `.env` file, which need not exist. */
export function envFile(cwd: string): string {
  return join(cwd, '.env')
}

function optionsOf({ cwd, inspect }: DevOptions): string[] {
  const file = envFile(cwd)
  return [
    ...(existsSync(file) ? [`--env-file=${file}`] : []),
    ...(inspect === undefined ? [] : [inspect === true ? '--inspect' : `--inspect=${inspect}`]),
    // With source maps, error stacks contain the source lines, even for compiled JavaScript.
    '--enable-source-maps',
  ]
}

function environmentOf({ port, dashboard }: DevOptions): Record<string, string> {
  return {
    [PARENT_VARIABLE]: String(process.pid),
    ...(port !== undefined && { PORT: String(port) }),
    ...(dashboard && { [REPORT_VARIABLE]: '1' }),
    // Before Node 22.15, no hook receives all modules. Node itself then reports them, as it does for `--watch`.
    ...(!('registerHooks' in module) && { WATCH_REPORT_DEPENDENCIES: '1' }),
  }
}

/** Node's own report: URLs of ES modules, and paths of other modules. */
interface NodeReport {
  readonly 'watch:import'?: readonly string[]
  readonly 'watch:require'?: readonly (string | null)[]
}

function messagesOf(message: unknown): ChildMessage[] {
  const own = opened<ChildMessage>(message)
  if (own !== undefined) return [own]
  const { 'watch:import': urls = [], 'watch:require': paths = [] } = Object(message) as NodeReport
  const required = paths.flatMap((path) => (path === null ? [] : [pathToFileURL(path).href]))
  return [{ kind: 'files', urls: [...urls, ...required] }]
}

/**
 * Kills a process that was started with `detached`, and all programs that it has started. On Windows, which has no
 * process groups, only the process itself is killed.
 */
export function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return
  if (process.platform === 'win32') return void child.kill('SIGKILL')
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // The process group no longer exists.
  }
}
