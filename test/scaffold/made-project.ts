import { execFile } from 'node:child_process'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { builtPackage } from '../cli/built-package.js'
import { nameOf } from './programs.js'
import type { Made } from './projects.js'
import { RunningProgram } from './running-program.js'

const run = promisify(execFile)

/** Where the project is, and what it is made with. */
export interface MadePlaces {
  readonly folder: string
  readonly tarball: string
  /** The folder of the package manager. */
  readonly programs: string
  /** The path of Node with which it is made, and which runs its programs: a project of an older Node has less. */
  readonly node: string
}

/** What a program of the project runs with. */
export interface RunOptions {
  /** The path of Node. Default: the one with which the project is made. */
  readonly node?: string
  readonly env?: Readonly<Record<string, string>>
}

/** The arguments with which a package manager writes its lock file. `ci.sh` then installs the packages. */
const LOCK = {
  npm: '--package-lock-only',
  pnpm: '--lockfile-only',
  yarn: '--mode=update-lockfile',
} as const

/** The versions of the compiler, as `package.json` names them. */
const COMPILERS = { '5.9': '~5.9.0', '6': '^6.0.3' } as const

/** A project as `blazon new` makes it, with the packed package. */
export class MadeProject {
  readonly made: Made
  readonly folder: string
  private readonly places: MadePlaces

  constructor(made: Made, places: MadePlaces) {
    this.made = made
    this.folder = places.folder
    this.places = places
  }

  /** Runs `blazon new`, then writes the lock file. */
  async make(): Promise<void> {
    const { template, decorators, test, typescript } = this.made
    const command = join(builtPackage(), 'dist/cli/main.js')
    const { folder, tarball } = this.places
    const pm = nameOf(this.made.manager)
    const args = ['--template', template, '--decorators', decorators, '--test', test, '--pm', pm]
    const rest = ['--package', tarball, '--name', 'my-api', '--no-install', '--no-git']
    await this.run(this.places.node, [command, 'new', folder, ...args, ...rest], {}, '/')
    this.usePackageInside()
    if (typescript !== '7') this.change('package.json', useCompiler(COMPILERS[typescript]))
    await this.run(pm, ['install', LOCK[pm]])
  }

  /** Runs a program in the project. Rejects with its output when it fails. */
  async run(
    program: string,
    args: readonly string[],
    options: RunOptions = {},
    cwd: string = this.folder,
  ): Promise<string> {
    try {
      const { stdout } = await run(program, args, { cwd, env: this.environment(options) })
      return stdout
    } catch (error) {
      const { message, stdout, stderr } = error as Error & { stdout: string; stderr: string }
      throw new Error([message, stdout, stderr].join('\n'))
    }
  }

  /** Runs a script of `package.json`. */
  async script(name: string, options?: RunOptions): Promise<string> {
    return await this.run(nameOf(this.made.manager), ['run', name], options)
  }

  /** Starts a program that listens on a free port. */
  start(program: string, args: readonly string[], options: RunOptions = {}): RunningProgram {
    const env = { ...this.environment(options), PORT: '0', DATABASE_FOLDER: 'memory' }
    return new RunningProgram(program, args, { cwd: this.folder, env })
  }

  read(name: string): string {
    return readFileSync(join(this.folder, name), 'utf8')
  }

  /** The environment of a user, without what the current runner and npm have set. */
  environment({ node, env }: RunOptions = {}): NodeJS.ProcessEnv {
    const isForeign = (name: string) =>
      /^(VITEST|NODE_ENV$|NODE_OPTIONS$|NODE_PATH$|TEST$|npm_|CI$|DATABASE_URL$|REDIS_URL$)/i.test(
        name,
      )
    const own = Object.entries(process.env).filter(([name]) => !isForeign(name))
    const first = [dirname(node ?? this.places.node), this.places.programs]
    const path = [...first, process.env['PATH']].join(delimiter)
    return { ...Object.fromEntries(own), PATH: path, NO_COLOR: '1', ...env }
  }

  /**
   * Puts the packed package into the project, so that an image can be built from its folder alone. A project of a user gets
   * the package from a registry.
   */
  private usePackageInside(): void {
    copyFileSync(this.places.tarball, join(this.folder, 'blazon.tgz'))
    this.change('package.json', (text) => {
      const manifest = JSON.parse(text)
      manifest.dependencies.blazon = 'file:blazon.tgz'
      // Vite 8.4 names an optional package that not every registry has. `npm ci` and Yarn do not install without it.
      if (this.made.manager === 'npm') manifest.overrides = { vite: '<8.4.0' }
      if (this.made.manager === 'yarn') manifest.resolutions = { vite: '<8.4.0' }
      return JSON.stringify(manifest, null, 2)
    })
    if (this.made.template === 'minimal') return
    this.change('Dockerfile', (text) => text.replace('COPY package', 'COPY blazon.tgz package'))
  }

  private change(name: string, by: (text: string) => string): void {
    const text = this.read(name)
    const changed = by(text)
    if (changed === text) throw new Error(`${name} cannot be changed.`)
    writeFileSync(join(this.folder, name), changed)
  }
}

function useCompiler(range: string) {
  return (text: string): string => {
    const manifest = JSON.parse(text)
    manifest.devDependencies.typescript = range
    return JSON.stringify(manifest, null, 2)
  }
}
