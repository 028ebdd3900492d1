import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { Project } from '../cli/project.js'

/**
 * The beginning of every program here. It is plain JavaScript, because a process that compiles itself starts slowly; a
 * legacy decorator is a function of a prototype and a name.
 */
const BEGIN = `
import { App, Controller, Get, Post } from 'blazon'
import { setTimeout as wait } from 'node:timers/promises'

/** Makes a controller of handlers by their paths: \`GET /slow\`. */
function controller(handlers) {
  class Work {}
  for (const [name, handle] of Object.entries(handlers)) {
    const [method, path] = name.split(' ')
    Work.prototype[name] = handle
    const route = method === 'GET' ? Get(path) : Post(path)
    route(Work.prototype, name, Object.getOwnPropertyDescriptor(Work.prototype, name))
  }
  Controller()(Work)
  return Work
}
const signalled = new Promise((resolve) => process.once('SIGTERM', resolve))
const say = (line) => process.stdout.write(line + '\\n')
`

/** A program in a process of its own, and what it has written. */
export class Service {
  readonly child: ChildProcess
  readonly #project: Project
  /** The exit code, or the name of the signal that has ended the process. */
  readonly ended: Promise<number | string>
  #output = ''
  #onOutput: () => void = () => {}

  private constructor(child: ChildProcess, project: Project) {
    this.child = child
    this.#project = project
    this.ended = once(child, 'close').then(([code, signal]) => code ?? signal)
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text
        this.#onOutput()
      })
    }
    void this.ended.then(() => this.#onOutput())
  }

  /**
   * Starts a program. It is ended after the test.
   *
   * @param env More variables of the environment.
   * @param options The options of `blazon start`, which then runs the program. Default: Node itself runs it.
   */
  static start(
    program: string,
    env: Readonly<Record<string, string>> = {},
    options?: readonly string[],
  ): Service {
    const project = new Project([])
    project.write({ 'main.mjs': BEGIN + program })
    // Not the variables of a pod in which the tests may run.
    const { KUBERNETES_SERVICE_HOST: _, ...others } = process.env
    const main = project.path('main.mjs')
    const args = options === undefined ? [main] : [project.command, 'start', main, ...options]
    const child = spawn(process.execPath, args, {
      env: { ...others, NODE_OPTIONS: '', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const service = new Service(child, project)
    onTestFinished(async () => {
      child.kill('SIGKILL')
      await service.ended
      project.remove()
    })
    return service
  }

  /** Everything that the program has written, on both streams. */
  get output(): string {
    return this.#output
  }

  /** The lines of the log, of this message. */
  logged(message: string): Record<string, unknown>[] {
    const lines = this.#output.split('\n').filter((line) => line.startsWith('{"level"'))
    return lines.map((line) => JSON.parse(line)).filter((line) => line.message.includes(message))
  }

  /** Waits until the program has written this text. */
  async wrote(text: string): Promise<void> {
    while (!this.#output.includes(text)) {
      if (this.child.exitCode !== null) throw new Error(`It ended without ${text}: ${this.#output}`)
      await this.more()
    }
  }

  /** Waits until the program has written something, or has ended. */
  more(): Promise<void> {
    return new Promise((resolve) => {
      this.#onOutput = resolve
    })
  }

  /** The URL in the line that \`listen\` logs. */
  async url(): Promise<string> {
    await this.wrote('"Listening on ')
    const url = /"url":"([^"]+)"/.exec(this.#output)?.[1] as string
    return url.replace('localhost', '127.0.0.1')
  }

  /** Replaces the program; processes that start later run the new one. */
  rewrite(program: string): void {
    this.#project.write({ 'main.mjs': BEGIN + program })
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal)
  }
}
