import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

/** How a program is started. */
export interface Start {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** The number of the user. Default: that of the tests. */
  readonly uid?: number
}

/** A program that listens, with the processes that it starts. They are a group of their own, so that a signal reaches all. */
export class RunningProgram {
  private readonly child: ChildProcess
  private readonly ended: Promise<unknown[]>
  private output = ''
  /** Where it listens. Rejects with its output when the program ends before. */
  readonly url: Promise<string>

  constructor(program: string, args: readonly string[], { cwd, env, uid }: Start) {
    this.child = spawn(program, args, {
      cwd,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(uid !== undefined && { uid, gid: uid }),
    })
    this.ended = once(this.child, 'close')
    // All lines are read, also behind the URL: a full pipe would block the program.
    const lines = [this.child.stdout, this.child.stderr].map((stream) => this.readUrl(stream))
    const url = Promise.race([...lines, this.ended.then((ending) => this.refuse(ending))])
    url.catch(() => {})
    this.url = url
  }

  /** Sends a request. */
  async ask(path: string): Promise<{ status: number; body: string }> {
    const response = await fetch(`${await this.url}${path}`)
    return { status: response.status, body: await response.text() }
  }

  /** Adds a note, with a token. */
  async add(path: string, token: string): Promise<{ status: number }> {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const sent = { method: 'POST', headers, body: JSON.stringify({ text: 'Buy milk' }) }
    const { status } = await fetch(`${await this.url}${path}`, sent)
    return { status }
  }

  /** Sends a signal to all processes, and returns the exit code of the first one: `null` when the signal ended it. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    this.signal(signal)
    const [code] = await this.ended
    return code as number | null
  }

  /** Ends what is left. */
  [Symbol.dispose](): void {
    this.signal('SIGKILL')
  }

  private signal(signal: NodeJS.Signals): void {
    if (this.child.pid === undefined) return
    try {
      process.kill(-this.child.pid, signal)
    } catch {
      // The group has ended.
    }
  }

  private readUrl(stream: Readable | null): Promise<string> {
    return new Promise((resolve) => {
      if (stream === null) return
      createInterface(stream).on('line', (line) => {
        this.output += `${line}\n`
        // `blazon dev` names the dashboard first.
        const url = /dashboard/i.test(line) ? undefined : /http:\/\/[^\s"]+/.exec(line)?.[0]
        if (url !== undefined) resolve(url)
      })
    })
  }

  private refuse([code]: unknown[]): never {
    throw new Error(`The program has ended with ${code}, before it listened.\n${this.output}`)
  }
}
