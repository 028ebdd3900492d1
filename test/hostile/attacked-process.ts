import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The condition of an attacked process. */
export interface Condition {
  /** Errors that would have ended the process. */
  readonly uncaught: readonly string[]
  /** Resources that keep the process alive. */
  readonly open: readonly string[]
}

/** A server in a process of its own, with the same Node, so that a test notices its end. */
export class AttackedProcess {
  readonly #child: ChildProcess
  readonly #ended: Promise<unknown[]>

  private constructor(child: ChildProcess) {
    this.#child = child
    this.#ended = once(child, 'exit')
  }

  /** Starts a program of this folder, and returns the ports of its first message. */
  static async start(program: string): Promise<[AttackedProcess, ports: readonly number[]]> {
    const config =
      process.env['BLAZON_DIALECT'] === 'legacy' ? 'tsconfig.legacy.json' : 'tsconfig.json'
    const child = spawn(process.execPath, ['--import', 'tsx', here(program)], {
      env: { ...process.env, TSX_TSCONFIG_PATH: here(`../${config}`), NODE_OPTIONS: '' },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    const attacked = new AttackedProcess(child)
    const { ports } = (await attacked.#nextMessage()) as { ports: readonly number[] }
    return [attacked, ports]
  }

  condition(): Promise<Condition> {
    this.#child.send('condition')
    return this.#nextMessage() as Promise<Condition>
  }

  /** Waits for an orderly end, and returns the uncaught errors and the exit code. */
  async stop(): Promise<Pick<Condition, 'uncaught'> & { readonly exitCode: unknown }> {
    this.#child.send('stop')
    const last = (await this.#nextMessage()) as Condition
    const [exitCode] = await this.#ended
    return { uncaught: last.uncaught, exitCode }
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }

  async #nextMessage(): Promise<unknown> {
    const [message] = await Promise.race([
      once(this.#child, 'message'),
      this.#ended.then(([code]) => {
        throw new Error(`The process has ended, with ${code}`)
      }),
    ])
    return message
  }
}
