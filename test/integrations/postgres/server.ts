import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type pgTypes from 'pg'
import { describe } from 'vitest'
import { afterFile } from '../../after-file.js'
import { freePort } from '../free-port.js'
import { until } from '../until.js'
import { OwnFolder, owner } from './own-folder.js'

/** `pg` as the package under test loads it, so that both use the same classes. */
export const pg = createRequire(import.meta.url)('pg') as typeof pgTypes

/** The superuser of the servers that tests start. */
export const SUPERUSER = 'root_of_tests'
export const PASSWORD = 'correct horse battery staple'

const bin = findBinaries()
if (bin === undefined)
  console.warn('Skipped: postgres is not installed. These tests start a server of their own.')

/** Whether tests that start a PostgreSQL are skipped: on a machine without PostgreSQL, but not in CI. */
export const isServerMissing = bin === undefined && !process.env['CI']

/** `describe` for tests that start, and may break, their own PostgreSQL. */
export const describeWithServer = describe.skipIf(isServerMissing)

export interface ServerOptions {
  /** Whether a login needs {@link PASSWORD}. Default `false`: every login is accepted. */
  readonly hasPasswords?: boolean
  /** A server that runs, of which the new one is a hot standby. Default: none, the server begins empty. */
  readonly standbyOf?: Server
  /** Lines of `postgresql.conf`. */
  readonly settings?: Readonly<Record<string, string>>
  /** Whether the server serves all files of this process, and ends with it. Default `false`: it ends after the file at the latest. */
  readonly isKept?: boolean
  /** The folder that the server's own folder is made in. Default: that of temporary files. */
  readonly parent?: string
}

/** A PostgreSQL server of one test, which may kill or pause it. */
export class Server implements AsyncDisposable {
  readonly port: number
  readonly #folder: OwnFolder
  #process: ChildProcess | undefined
  #isDisposed = false

  private constructor(port: number, folder: OwnFolder) {
    this.port = port
    this.#folder = folder
  }

  /** A server that does not run yet. */
  static async absent(options: ServerOptions = {}): Promise<Server> {
    const folder = new OwnFolder('blazon-postgres-', 'data/postmaster.pid', options.parent)
    const server = new Server(await freePort(), folder)
    if (options.isKept !== true) afterFile(() => server[Symbol.asyncDispose]())
    if (options.standbyOf === undefined) {
      execFileSync('cp', ['-a', '--reflink=auto', templateData(), server.#data])
    } else await server.#copy(options.standbyOf)
    const method = options.hasPasswords === true ? 'scram-sha-256' : 'trust'
    const rules = ['all', 'replication'].map((name) => `host ${name} all 127.0.0.1/32 ${method}\n`)
    writeFileSync(join(server.#data, 'pg_hba.conf'), rules.join(''))
    for (const [name, value] of Object.entries(options.settings ?? {}))
      appendFileSync(join(server.#data, 'postgresql.conf'), `${name} = '${value}'\n`)
    return server
  }

  /** A server that runs. */
  static async start(options: ServerOptions = {}): Promise<Server> {
    for (let attempt = 1; ; attempt++) {
      const server = await Server.absent(options)
      try {
        await server.start()
        return server
      } catch (error) {
        // Another process took the port first.
        await server[Symbol.asyncDispose]()
        if (attempt === 5) throw error
      }
    }
  }

  get #data(): string {
    return join(this.#folder.path, 'data')
  }

  /** What the server has logged so far. */
  get log(): string {
    return readFileSync(join(this.#folder.path, 'log'), 'utf8')
  }

  /** The URL of the server for a user. */
  url(user = SUPERUSER, { database = 'postgres', port = this.port, password = '' } = {}): string {
    const credentials = password === '' ? user : `${user}:${encodeURIComponent(password)}`
    return `postgres://${credentials}@127.0.0.1:${port}/${database}`
  }

  /** Whether the server runs. It may have ended by itself. */
  get isRunning(): boolean {
    return this.#process !== undefined && !hasEnded(this.#process)
  }

  async start(): Promise<void> {
    const log = openSync(join(this.#folder.path, 'log'), 'a')
    const args = ['-D', this.#data, '-p', String(this.port)]
    const child = spawn(join(bin as string, 'postgres'), args, {
      ...owner(),
      cwd: this.#folder.path,
      stdio: ['ignore', log, log],
    })
    this.#process = child
    await until(async () => {
      if (hasEnded(child)) throw new Error(`postgres ended with ${child.exitCode}:\n${this.log}`)
      return await this.#answers()
    })
  }

  /** Resumes or restarts the server if a test has paused or ended it. */
  async mend(): Promise<void> {
    this.resume()
    if (!this.isRunning) await this.start()
  }

  /** Kills all processes, as a loss of power would. */
  async kill9(): Promise<void> {
    await this.#end(() => {
      for (const pid of this.#stopped()) signal(pid, 'SIGKILL')
    })
  }

  /** Shuts the server down: it rolls back open transactions and closes connections with a message. */
  async stop(): Promise<void> {
    await this.#end((child) => child.kill('SIGINT'))
  }

  /** Ends the server in the given way, and starts it again with its data and on its port. */
  async restart(end: 'stop' | 'kill9' = 'stop'): Promise<void> {
    await this[end]()
    await this.start()
  }

  /** Pauses all processes: the server keeps its connections and accepts new ones, but sends nothing. */
  pause(): void {
    this.#stopped()
  }

  resume(): void {
    for (const pid of this.#processes()) signal(pid, 'SIGCONT')
  }

  /** Runs statements as the superuser on a new connection. Returns the rows of the last one. */
  async run<T = Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<T[]> {
    return await runAt(this.url(SUPERUSER, { password: PASSWORD }), text, values)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isDisposed) return
    this.#isDisposed = true
    await this.kill9()
    await this.#folder[Symbol.asyncDispose]()
  }

  /** Copies the data of a server that runs, for a standby of it. */
  async #copy(primary: Server): Promise<void> {
    const from = ['-h', '127.0.0.1', '-p', String(primary.port), '-U', SUPERUSER]
    const args = [
      ...from,
      '-D',
      this.#data,
      '--write-recovery-conf',
      '--checkpoint=fast',
      '--no-sync',
    ]
    const child = spawn(join(bin as string, 'pg_basebackup'), args, {
      ...owner(),
      cwd: this.#folder.path,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const [code] = await once(child, 'exit')
    if (code !== 0) throw new Error(`pg_basebackup ended with ${code}`)
  }

  async #end(how: (child: ChildProcess) => void): Promise<void> {
    const child = this.#process
    if (child === undefined || hasEnded(child)) return
    const ended = once(child, 'exit')
    const processes = processesOf(child)
    how(child)
    await ended
    // Another server can start only after the processes have freed their shared memory.
    await until(() => !areRunning(processes))
  }

  /** Pauses the processes, so that they start no more, and returns their ids. */
  #stopped(): number[] {
    const child = this.#process
    if (child?.pid === undefined || hasEnded(child)) return []
    signal(child.pid, 'SIGSTOP')
    const processes = processesOf(child)
    for (const pid of processes) signal(pid, 'SIGSTOP')
    return processes
  }

  #processes(): number[] {
    const child = this.#process
    return child === undefined || hasEnded(child) ? [] : processesOf(child)
  }

  async #answers(): Promise<boolean> {
    try {
      await this.run('select 1')
      return true
    } catch {
      return false
    }
  }
}

/** Runs statements on a new connection. Returns the rows of the last one. */
export async function runAt<T = Record<string, unknown>>(
  url: string,
  text: string,
  values?: readonly unknown[],
): Promise<T[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    const result = await client.query(text, values as unknown[] | undefined)
    // Several statements give a list of results.
    const last: { rows: unknown[] } = Array.isArray(result) ? result.at(-1) : result
    return last.rows as T[]
  } finally {
    await client.end()
  }
}

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  fsync: 'off',
  max_connections: '60',
  shared_buffers: '16MB',
  autovacuum: 'off',
  log_statement: 'none',
}
const INITDB = [
  '--auth=trust',
  '--no-sync',
  '--encoding=UTF8',
  '--locale=C',
  `--username=${SUPERUSER}`,
]

/** Ignored by git. */
const TEMPLATES = fileURLToPath(new URL('../../../.cache/postgres', import.meta.url))

/**
 * The data of a server that has never run. All test files copy the same data, because `initdb` takes seconds. Several
 * processes may make it at the same time: each makes its own copy, and the first that is ready gives it its final name.
 */
function templateData(): string {
  const version = execFileSync(join(bin as string, 'postgres'), ['--version'])
  const hash = createHash('sha256')
    .update(version)
    .update(bin as string)
  const key = hash.update(JSON.stringify([SETTINGS, INITDB, PASSWORD, owner()])).digest('hex')
  const folder = join(TEMPLATES, key.slice(0, 16))
  if (existsSync(folder)) return folder
  mkdirSync(TEMPLATES, { recursive: true })
  const stage = mkdtempSync(join(TEMPLATES, 'stage-'))
  try {
    // `initdb` runs as a user who may not be allowed to write here.
    const made = initialize()
    execFileSync('cp', ['-a', '--reflink=auto', join(made, 'data'), join(stage, 'data')])
    rmSync(made, { recursive: true, force: true })
    renameSync(join(stage, 'data'), folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
  } finally {
    rmSync(stage, { recursive: true, force: true })
  }
  return folder
}

/** Makes the data in a new folder, and returns the folder. */
function initialize(): string {
  const folder = mkdtempSync(join(tmpdir(), 'blazon-postgres-template-'))
  const { uid, gid } = owner()
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid)
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, PASSWORD)
  const data = join(folder, 'data')
  const args = ['-D', data, ...INITDB, `--pwfile=${passwordFile}`]
  execFileSync(join(bin as string, 'initdb'), args, { ...owner(), cwd: folder, stdio: 'pipe' })
  const lines = Object.entries(SETTINGS).map(([name, value]) => `${name} = '${value}'\n`)
  appendFileSync(join(data, 'postgresql.conf'), lines.join(''))
  return folder
}

function findBinaries(): string | undefined {
  const known = spawnSync('pg_config', ['--bindir'], { encoding: 'utf8' }).stdout?.trim()
  const root = '/usr/lib/postgresql'
  const folders = [known, ...listed(root).map((version) => join(root, version, 'bin'))]
  const has = (folder: string, name: string) =>
    spawnSync(join(folder, name), ['--version']).status === 0
  return folders.find(
    (folder): folder is string => !!folder && has(folder, 'postgres') && has(folder, 'initdb'),
  )
}

/** The newest version first. */
function listed(folder: string): string[] {
  try {
    return readdirSync(folder).sort((a, b) => Number(b) - Number(a))
  } catch {
    return []
  }
}

/** The ids of the process of a server and of its children. */
function processesOf({ pid }: ChildProcess): number[] {
  const listing = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
  const children = (listing.stdout ?? '').split('\n').map(Number)
  return [pid as number, ...children.filter((child) => child > 0)]
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended by itself.
  }
}

/** Whether one of these processes runs. A zombie does not count. */
function areRunning(processes: readonly number[]): boolean {
  const args = ['-o', 'stat=', '-p', processes.join()]
  const { stdout } = spawnSync('ps', args, { encoding: 'utf8' })
  return stdout.split('\n').some((state) => /^[^Z\s]/.test(state))
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null
