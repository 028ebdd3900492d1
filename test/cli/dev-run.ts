import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { onTestFinished } from 'vitest'
import { Project } from './project.js'

/** A response, as far as the tests read it. */
export interface Reply {
  readonly status: number
  readonly text: string
  readonly headers: Headers
}

/** How {@link DevRun} starts the command. */
export interface DevStart {
  /** More arguments. Default: none. */
  readonly args?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
}

/** A run of `blazon dev` in a project. */
export class DevRun {
  readonly port: number
  readonly command: ChildProcess
  readonly ended: Promise<unknown[]>
  #output = ''
  #onOutput = () => {}

  private constructor(project: Project, port: number, { args = [], env = {} }: DevStart) {
    this.port = port
    this.command = spawn(process.execPath, [project.command, 'dev', '--port', `${port}`, ...args], {
      cwd: project.folder,
      env: { ...process.env, NODE_OPTIONS: '', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.ended = once(this.command, 'exit')
    for (const stream of [this.command.stdout, this.command.stderr]) {
      stream?.on('data', (chunk) => {
        this.#output += chunk
        this.#onOutput()
      })
    }
    onTestFinished(async () => {
      this.command.kill('SIGTERM')
      await this.ended
    })
  }

  static async start(project: Project, start: DevStart = {}): Promise<DevRun> {
    return new DevRun(project, await freePort(), start)
  }

  /** What the command and the application have printed since the last `until`. */
  get output(): string {
    return this.#output
  }

  /** Waits for a text, and returns the output up to it, which `output` then lacks. */
  async until(text: string): Promise<string> {
    while (!this.#output.includes(text)) {
      const more = new Promise<void>((resolve) => {
        this.#onOutput = resolve
      })
      const isOver = await Promise.race([more.then(() => false), this.ended.then(() => true)])
      if (isOver && !this.#output.includes(text)) throw new Error(`It ended:\n${this.#output}`)
    }
    const end = this.#output.indexOf(text) + text.length
    const before = this.#output.slice(0, end)
    this.#output = this.#output.slice(end)
    return before
  }

  async ask(path = '/', headers: Record<string, string> = {}): Promise<Reply> {
    const response = await fetch(`http://127.0.0.1:${this.port}${path}`, { headers })
    return { status: response.status, text: await response.text(), headers: response.headers }
  }

  async end(signal: NodeJS.Signals): Promise<unknown[]> {
    this.command.kill(signal)
    return await this.ended
  }
}

/** A project whose `main.js` responds with the text of `value.js` and the number of its process. */
export function devProject(files: Readonly<Record<string, string | object>> = {}): Project {
  const project = new Project(['tsx']).write({
    'package.json': { type: 'module' },
    'main.js': MAIN,
    'value.js': value('one'),
    ...files,
  })
  onTestFinished(() => project.remove())
  return project
}

/** The module that `main.js` imports. */
export function value(text: string): string {
  return `export const value = '${text}'\n`
}

/** Uses Node's own server: everything but the database is the same for every framework. */
export const MAIN = `
import { createServer } from 'node:http'
import { value } from './value.js'

const server = createServer((req, res) => res.end(value + ' ' + process.pid))
server.listen(Number(process.env.PORT), () => console.log('listening: ' + value))
`

/** The number of the process at the end of a response. */
export function pidOf({ text }: Reply): number {
  return Number(text.split(' ').at(-1))
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
