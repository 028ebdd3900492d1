import { execFile } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { RunningProgram } from './running-program.js'

const run = promisify(execFile)

/** A line of a Dockerfile. */
export interface Instruction {
  /** In capitals: FROM, COPY, RUN. */
  readonly name: string
  readonly text: string
}

/** The instructions of a Dockerfile, without comments. Each is one line in the templates. */
export function readDockerfile(text: string): Instruction[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', rest = ''] = /^([A-Z]+) (.+)$/.exec(line) ?? []
      if (name === '' || rest.endsWith('\\')) throw new Error(`Not one instruction: ${line}`)
      return { name, text: rest }
    })
}

/** The names that `.dockerignore` leaves out. The templates have only names, with a star at the end of some. */
export function readIgnored(text: string): (name: string) => boolean {
  const patterns = text.split('\n').filter((line) => line !== '')
  return (name) =>
    patterns.some((pattern) =>
      pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
    )
}

/** What a stage leaves to the container. */
interface StepFactory {
  /** The folder that stands for `/`. */
  readonly root: string
  /** The major version of Node in the base image. */
  readonly node: number
  readonly env: Record<string, string>
  workdir: string
  user: string
  command: readonly string[]
  healthcheck: readonly string[]
}

/** Where an image is built. */
export interface BuildPlaces {
  /** The folder of the project. */
  readonly context: string
  /** The environment of a user. */
  readonly env: NodeJS.ProcessEnv
  /** The path of a Node of this major version. */
  readonly nodeOf: (major: number) => string
}

/** A user without rights, as `node` is in the images of Node. */
const NOBODY = 65_534

/**
 * The stages of a Dockerfile without Docker: the same commands, in folders that stand for the file systems of the stages. The
 * rest of an image of Node is that of this machine.
 */
export class DockerImage implements Disposable {
  private readonly folder = mkdtempSync(join(tmpdir(), 'blazon-image-'))
  private readonly stages = new Map<string, StepFactory>()
  private readonly places: BuildPlaces
  private current: StepFactory | undefined

  constructor(places: BuildPlaces) {
    this.places = places
    chmodSync(this.folder, 0o755)
  }

  async build(): Promise<void> {
    const text = readFileSync(join(this.places.context, 'Dockerfile'), 'utf8')
    for (const { name, text: rest } of readDockerfile(text)) await this.follow(name, rest)
  }

  /** The files of the image below its working directory, without those of packages. */
  get files(): string[] {
    const { root, workdir } = this.stage
    return readdirSync(join(root, workdir), { recursive: true, encoding: 'utf8' })
      .filter((name) => !name.startsWith('node_modules'))
      .sort()
  }

  /** The names of the packages of the image that a module can import. */
  get packages(): string[] {
    const { root, workdir } = this.stage
    return readdirSync(join(root, workdir, 'node_modules')).filter((name) => !name.startsWith('.'))
  }

  /** Whether the compile cache of Node has files. */
  get hasCompileCache(): boolean {
    const folder = this.stage.env['NODE_COMPILE_CACHE'] ?? ''
    return (
      statSync(folder, { throwIfNoEntry: false }) !== undefined && readdirSync(folder).length > 0
    )
  }

  /** Starts the container: the command of the image as its user, who may write to `/tmp` alone. */
  start(env: Readonly<Record<string, string>>): RunningProgram {
    const { command, user } = this.stage
    if (user === 'root') throw new Error('The image runs as root.')
    const [program = '', ...args] = command
    return new RunningProgram(this.programOf(program), args, {
      cwd: this.cwd,
      env: { ...this.environment(), ...env },
      ...(process.getuid?.() === 0 && { uid: NOBODY }),
    })
  }

  /** Runs another command in the container, such as that of a service of Docker Compose. */
  async run([program = '', ...args]: readonly string[], env: Readonly<Record<string, string>>) {
    const options = { cwd: this.cwd, env: { ...this.environment(), ...env } }
    return await run(program, args, options)
  }

  /** Runs the health check of the image. Returns its exit code. */
  async checkHealth(env: Readonly<Record<string, string>>): Promise<number> {
    const [program = '', ...args] = this.stage.healthcheck
    const options = { cwd: this.cwd, env: { ...this.environment(), ...env } }
    try {
      await run(this.programOf(program), args, options)
      return 0
    } catch (error) {
      return (error as { code: number }).code
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true })
  }

  private async follow(name: string, text: string): Promise<void> {
    const stage = name === 'FROM' ? this.from(text) : this.stage
    if (name === 'WORKDIR') {
      stage.workdir = text
      mkdirSync(this.cwd, { recursive: true })
    } else if (name === 'ENV') {
      for (const pair of text.split(' ')) this.setVariable(stage, pair)
    } else if (name === 'COPY') this.copy(text.split(' '))
    else if (name === 'RUN') await this.execute(text)
    else if (name === 'USER') stage.user = text
    else if (name === 'CMD') stage.command = JSON.parse(text)
    else if (name === 'HEALTHCHECK') stage.healthcheck = JSON.parse(text.replace(/^CMD /, ''))
    else if (!['FROM', 'EXPOSE'].includes(name)) throw new Error(`Unknown instruction: ${name}`)
  }

  private from(text: string): StepFactory {
    const [, major, name = `stage-${this.stages.size}`] =
      /^node:(\d+)-slim(?: AS (\w+))?$/.exec(text) ?? []
    if (major === undefined) throw new Error(`Not an image of Node: ${text}`)
    const root = join(this.folder, name)
    mkdirSync(join(root, 'tmp'), { recursive: true })
    chmodSync(join(root, 'tmp'), 0o777)
    const rest = { workdir: '/', user: 'root', command: [], healthcheck: [] }
    this.current = { root, node: Number(major), env: {}, ...rest }
    this.stages.set(name, this.current)
    return this.current
  }

  /** `/tmp` of the image is a folder of its own. */
  private setVariable(stage: StepFactory, pair: string): void {
    const [name = '', value = ''] = pair.split('=')
    stage.env[name] = value.replace(/^\/tmp\//, `${stage.root}/tmp/`)
  }

  private copy(words: string[]): void {
    const from = /^--from=(\w+)$/.exec(words[0] ?? '')?.[1]
    if (from !== undefined) words.shift()
    const target = words.pop() ?? ''
    const root = from === undefined ? this.places.context : this.stages.get(from)?.root
    if (root === undefined) throw new Error(`There is no stage ${from}.`)
    const isIgnored = from === undefined ? this.ignored : () => false
    for (const word of words) {
      const source = join(root, word)
      const names = word === '.' ? readdirSync(source) : ['']
      for (const name of names) {
        if (isIgnored(name || word)) continue
        const isInto = target.endsWith('/') && word !== '.'
        const to = join(this.cwd, target, word === '.' ? name : isInto ? basename(word) : '')
        cpSync(join(source, name), to, { recursive: true, verbatimSymlinks: true })
      }
    }
  }

  private async execute(command: string): Promise<void> {
    // `npm install --global` must not change this machine.
    const env = { ...this.environment(), npm_config_prefix: join(this.stage.root, 'usr/local') }
    try {
      await run('sh', ['-c', command], { cwd: this.cwd, env })
    } catch (error) {
      const { stdout, stderr } = error as { stdout: string; stderr: string }
      throw new Error(`RUN ${command} failed.\n${stdout}\n${stderr}`)
    }
  }

  private get stage(): StepFactory {
    if (this.current === undefined) throw new Error('The Dockerfile does not begin with FROM.')
    return this.current
  }

  private get cwd(): string {
    return join(this.stage.root, this.stage.workdir)
  }

  private get ignored(): (name: string) => boolean {
    return readIgnored(readFileSync(join(this.places.context, '.dockerignore'), 'utf8'))
  }

  private environment(): NodeJS.ProcessEnv {
    const { root, node, env } = this.stage
    const first = [dirname(this.places.nodeOf(node)), join(root, 'usr/local/bin')]
    const path = [...first, this.places.env['PATH']].join(delimiter)
    return { ...this.places.env, PATH: path, ...env }
  }

  private programOf(name: string): string {
    if (name !== 'node') throw new Error(`An image of Node may have no ${name}.`)
    return this.places.nodeOf(this.stage.node)
  }
}
