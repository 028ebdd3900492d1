import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe } from 'vitest'
import { freePort } from '../free-port.js'

/** The Redis that already runs on this machine. Tests may change only their own keys there. */
export const url = process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379'

const { hostname, port } = new URL(url)
const isThere = await isRunning(Number(port || 6379), hostname)
const hasBinary = spawnSync('redis-server', ['--version']).status === 0
if (!isThere) console.warn('Skipped: no Redis responds. Set REDIS_URL to its address.')
if (!hasBinary)
  console.warn('Skipped: redis-server is not installed. These tests start a server of their own.')

/** `describe` for tests that need the running Redis. They are skipped if there is none, except in CI. */
export const describeWithRedis = describe.skipIf(!isThere && !process.env['CI'])

/** `describe` for tests that start and break their own Redis. */
export const describeWithServer = describe.skipIf(!hasBinary && !process.env['CI'])

/** A prefix that no other test uses. */
export function ownPrefix(): string {
  return `blazon-test:${randomUUID()}:`
}

/** A Redis process that one test starts, and may kill or pause. */
export class Server implements AsyncDisposable {
  readonly port: number
  readonly url: string
  readonly #folder = mkdtempSync(join(tmpdir(), 'blazon-redis-'))
  #process: ChildProcess | undefined

  private constructor(port: number) {
    this.port = port
    this.url = `redis://127.0.0.1:${port}`
  }

  /** A server that is not started. */
  static async absent(): Promise<Server> {
    return new Server(await freePort())
  }

  /** A running server. */
  static async start(...args: string[]): Promise<Server> {
    for (let attempt = 1; ; attempt++) {
      const server = await Server.absent()
      try {
        await server.start(...args)
        return server
      } catch (error) {
        // Another process took the port first.
        await server[Symbol.asyncDispose]()
        if (attempt === 5) throw error
      }
    }
  }

  async start(...args: string[]): Promise<void> {
    const own = ['--port', String(this.port), '--bind', '127.0.0.1', '--dir', this.#folder]
    const options = [...own, '--save', '', '--appendonly', 'no', ...args]
    const child = spawn('redis-server', options, { stdio: 'ignore' })
    this.#process = child
    while (!(await isRunning(this.port, '127.0.0.1'))) {
      if (child.exitCode !== null) throw new Error(`redis-server ended with ${child.exitCode}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  async kill(): Promise<void> {
    const child = this.#process
    this.#process = undefined
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }

  /** Pauses the process: it keeps its connections and accepts new ones, but sends nothing. */
  pause(): void {
    this.#process?.kill('SIGSTOP')
  }

  resume(): void {
    this.#process?.kill('SIGCONT')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** Whether a Redis replies. */
function isRunning(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host)
    const end = (isThere: boolean) => {
      socket.destroy()
      resolve(isThere)
    }
    socket.setTimeout(2000, () => end(false))
    socket.once('connect', () => socket.write('PING\r\n'))
    // A server with a password replies `-NOAUTH`, which also counts as a reply.
    socket.once('data', (data) => end(/^[+-](?!LOADING)/.test(String(data))))
    socket.once('error', () => end(false))
  })
}
