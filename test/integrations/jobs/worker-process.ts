import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { tenantTable } from 'blazon/postgres'
import { describe } from 'vitest'
import { afterFile } from '../../after-file.js'
import { compiledProgram } from '../compiled-program.js'
import { Folder, type ServerDatabase } from '../postgres/own-database.js'
import { isServerMissing } from '../postgres/server.js'
import { until } from '../until.js'
import { runsJobs } from './support.js'

/** `describe` for tests of jobs that start a PostgreSQL. */
export const describeServerJobs = describe.skipIf(!runsJobs || isServerMissing)

const FILE = fileURLToPath(new URL('./work-app.ts', import.meta.url))

/** The tables of `work-app.ts`. */
export const TABLES = new Folder({
  '0001_effects.sql': tenantTable('effects', {
    columns: ['job uuid not null', 'sent_by text not null', 'part integer not null'],
  }),
  '0002_ticks.sql': `create table ticks (name text, pid integer, at timestamptz);
    grant insert, select on ticks to app_all_tenants`,
})

const running = new Set<WorkerProcess>()
afterFile(() => {
  for (const each of running) each.child.kill('SIGKILL')
})

/** A process that works on jobs. */
export class WorkerProcess {
  readonly child: ChildProcess
  /** The jobs that have begun in it, in order. */
  readonly began: string[] = []
  output = ''
  #isReady = false

  private constructor(
    program: string,
    database: ServerDatabase,
    env: Readonly<Record<string, string>>,
  ) {
    this.child = spawn(process.execPath, [program], {
      env: {
        ...process.env,
        JOBS_URL: database.options.url,
        JOBS_FOLDER: TABLES.path,
        NODE_OPTIONS: '',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    running.add(this)
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.on('data', (data) => {
        this.output += data
      })
    this.child.on('message', (message: { ready?: true; began?: string }) => {
      if (message.ready === true) this.#isReady = true
      if (message.began !== undefined) this.began.push(message.began)
    })
  }

  static async start(
    database: ServerDatabase,
    env: Readonly<Record<string, string>> = {},
  ): Promise<WorkerProcess> {
    const process = new WorkerProcess(await compiledProgram(FILE), database, env)
    await until(() => {
      if (process.child.exitCode !== null) throw new Error(`It ended: ${process.output}`)
      return process.#isReady
    })
    return process
  }

  /** Ends the process, and returns its exit code. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    const ended = once(this.child, 'exit')
    this.child.kill(signal)
    const [code] = await ended
    running.delete(this)
    return code
  }
}
