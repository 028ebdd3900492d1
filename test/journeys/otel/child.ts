import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { transformSync } from 'esbuild'
import { builtPackage } from '../../cli/built-package.js'
import { Project } from '../../cli/project.js'
import { root } from '../../root.js'

/** The packages of OpenTelemetry that are installed here. */
export const OPEN_TELEMETRY: readonly string[] = readdirSync(
  join(root, 'node_modules/@opentelemetry'),
).map((name) => `@opentelemetry/${name}`)

/** What a {@link Child} runs. */
export interface Program {
  /** What is installed beside this package. */
  readonly packages?: readonly string[]
  /** The modules of the program, in TypeScript; `app.mjs` is run. */
  readonly files: Readonly<Record<string, string>>
  /** The options of Node. Default: none, a plain `node app.mjs`. */
  readonly node?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** The packages that this package needs. */
const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const NEEDED = Object.keys(dependencies).filter((name) => !name.startsWith('@types/'))

/** A program in a process of its own, in a project with this package and no others but those that are named. */
export class Child {
  readonly #project: Project
  readonly #child: ChildProcess

  constructor({ packages = [], files, node = [], env = {} }: Program) {
    this.#project = new Project([...new Set([...NEEDED, ...packages])])
    // A copy, because Node would follow a link to the folder of all packages.
    const cwd = this.#project.path('apart')
    cpSync(builtPackage(), join(cwd, 'node_modules/blazon'), { recursive: true })
    const experimentalDecorators = process.env['BLAZON_DIALECT'] === 'legacy'
    const tsconfigRaw = { compilerOptions: { experimentalDecorators } }
    for (const [name, text] of Object.entries(files)) {
      const { code } = transformSync(text, { loader: 'ts', target: 'es2022', tsconfigRaw })
      this.#project.write({ [`apart/${name}`]: code })
    }
    this.#child = fork('./app.mjs', {
      cwd,
      execArgv: [...node],
      env: { ...process.env, NODE_OPTIONS: '', ...env },
    })
  }

  /** The next message of the program. */
  async next<T>(): Promise<T> {
    const ended = once(this.#child, 'exit').then(([code]) => {
      throw new Error(`The program has ended with ${code}.`)
    })
    ended.catch(() => {})
    const [message] = await Promise.race([once(this.#child, 'message'), ended])
    return message
  }

  /** Sends a message, and waits for the reply. */
  ask<T>(message: string): Promise<T> {
    const reply = this.next<T>()
    this.#child.send(message)
    return reply
  }

  end(): void {
    this.#child.kill('SIGKILL')
    this.#project.remove()
  }
}
