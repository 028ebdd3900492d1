import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe } from 'vitest'
import { afterFile } from '../../after-file.js'
import { freePort } from '../free-port.js'
import { until } from '../until.js'
import { OwnFolder, owner } from './own-folder.js'
import { describeWithServer, runAt, SUPERUSER } from './server.js'

const hasBinary = spawnSync('pgbouncer', ['--version']).status === 0
if (!hasBinary) console.warn('Skipped: pgbouncer is not installed.')

/** `describe` for tests that need a PgBouncer, and a server behind it. */
export const describeWithPgBouncer =
  hasBinary || process.env['CI'] ? describeWithServer : describe.skip

export interface PgBouncerOptions {
  /** The port of the server behind PgBouncer. */
  readonly serverPort: number
  /** The users that may log in, beside the superuser. */
  readonly users: readonly string[]
  /** How many connections to the server PgBouncer has, for each user of each database. */
  readonly connections: number
  /** More lines of `pgbouncer.ini`. Default: none. */
  readonly settings?: readonly string[]
}

/** A PgBouncer of one test, in transaction mode: after each transaction, another client may get the connection. */
export class PgBouncer implements AsyncDisposable {
  readonly port: number
  readonly #folder = new OwnFolder('blazon-pgbouncer-', 'pid')
  #process: ChildProcess | undefined
  #isDisposed = false

  private constructor(port: number) {
    this.port = port
    afterFile(() => this[Symbol.asyncDispose]())
  }

  static async start(options: PgBouncerOptions): Promise<PgBouncer> {
    for (let attempt = 1; ; attempt++) {
      const bouncer = new PgBouncer(await freePort())
      try {
        await bouncer.#start(options)
        return bouncer
      } catch (error) {
        // Another process took the port first.
        await bouncer[Symbol.asyncDispose]()
        if (attempt === 5) throw error
      }
    }
  }

  get log(): string {
    return readFileSync(join(this.#folder.path, 'log'), 'utf8')
  }

  url(user: string, database: string): string {
    return `postgres://${user}@127.0.0.1:${this.port}/${database}`
  }

  async #start({
    serverPort,
    users,
    connections,
    settings: own = [],
  }: PgBouncerOptions): Promise<void> {
    const list = join(this.#folder.path, 'users')
    writeFileSync(list, [SUPERUSER, ...users].map((user) => `"${user}" ""\n`).join(''))
    const settings = join(this.#folder.path, 'pgbouncer.ini')
    // `ignore_startup_parameters` is not set, so this PgBouncer refuses the parameters that any other one refuses.
    const lines = [
      '[databases]',
      `* = host=127.0.0.1 port=${serverPort}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${this.port}`,
      'unix_socket_dir =',
      'auth_type = trust',
      `auth_file = ${list}`,
      `pidfile = ${join(this.#folder.path, 'pid')}`,
      'pool_mode = transaction',
      `default_pool_size = ${connections}`,
      ...own,
    ]
    writeFileSync(settings, `${lines.join('\n')}\n`)
    const log = openSync(join(this.#folder.path, 'log'), 'a')
    const stdio = ['ignore', log, log] as const
    const child = spawn('pgbouncer', [settings], { ...owner(), stdio: [...stdio] })
    this.#process = child
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`pgbouncer ended:\n${this.log}`)
      return await this.#isReady()
    })
  }

  async #isReady(): Promise<boolean> {
    try {
      await runAt(this.url(SUPERUSER, 'postgres'), 'select 1')
      return true
    } catch {
      return false
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isDisposed) return
    this.#isDisposed = true
    const child = this.#process
    if (child !== undefined && child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    }
    await this.#folder[Symbol.asyncDispose]()
  }
}
