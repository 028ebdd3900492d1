import { execFile } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { root } from '../root.js'
import { builtPackage } from './built-package.js'

/** The result of a run of the command. */
export interface Outcome {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

/**
 * A user's project outside the repository, with this package and a few others installed. The name of its
 * folder needs quoting and URL encoding.
 */
export class Project {
  readonly folder: string

  /** @param packages The packages of this repository to install beside this one. */
  constructor(packages: readonly string[] = ['tsx']) {
    this.folder = realpathSync(mkdtempSync(join(tmpdir(), 'blazon cli é-')))
    this.install('blazon', builtPackage())
    for (const name of packages) this.install(name, join(root, 'node_modules', name))
  }

  /** Installs a package under a name. */
  install(name: string, folder: string): void {
    const link = this.path(`node_modules/${name}`)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(folder, link, 'dir')
  }

  /** Writes files by path. A value that is not a string is written as JSON. */
  write(files: Readonly<Record<string, string | object>>): this {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(this.path(name)), { recursive: true })
      const text = typeof content === 'string' ? content : JSON.stringify(content)
      writeFileSync(this.path(name), text)
    }
    return this
  }

  path(name: string): string {
    return join(this.folder, name)
  }

  read(name: string): string {
    return readFileSync(this.path(name), 'utf8')
  }

  has(name: string): boolean {
    return existsSync(this.path(name))
  }

  removeFolder(name: string): void {
    rmSync(this.path(name), { recursive: true, force: true })
  }

  /** The file that npm links as the command. */
  get command(): string {
    const { bin } = JSON.parse(this.read('node_modules/blazon/package.json'))
    return this.path(`node_modules/blazon/${bin.blazon}`)
  }

  /** Runs the command as users do: a program with arguments, in a folder of the project. */
  run(args: readonly string[], folder = '.'): Promise<Outcome> {
    const options = { cwd: join(this.folder, folder), env: { ...process.env, NODE_OPTIONS: '' } }
    return new Promise((resolve) => {
      const child = execFile(
        process.execPath,
        [this.command, ...args],
        options,
        (_, stdout, stderr) => resolve({ status: child.exitCode ?? -1, stdout, stderr }),
      )
    })
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** A controller in the syntax of both dialects. */
export const USERS_CONTROLLER = `
import { Controller, Get, type Request, type Response } from 'blazon'

@Controller('users')
export class UsersController {
  @Get(':id')
  getById(req: Request, res: Response) {
    return { id: req.params['id'] }
  }
}
`

/**
 * The same, as a compiler of the legacy dialect writes it. Node reads it in half the time, so tests that are not about
 * TypeScript use this one.
 */
export const COMPILED_CONTROLLER = `
import { Controller, Get } from 'blazon'

export class UsersController {
  getById(req, res) {
    return { id: req.params['id'] }
  }
}

const { prototype } = UsersController
Get(':id')(prototype, 'getById', Object.getOwnPropertyDescriptor(prototype, 'getById'))
Controller('users')(UsersController)
`

/** An entry whose application fails loudly when any part of it starts. */
export const MAIN = `
import { App } from 'blazon'
import { UsersController } from './users-controller.js'

class Database {
  constructor() { throw new Error('a provider was made') }
}

console.log('printed by the application')

export const app = new App({
  controllers: [UsersController],
  providers: [Database, { token: 'x', useFactory: () => { throw new Error('a factory ran') } }],
  plugins: [{ name: 'p', setup() { throw new Error('a plugin was set up') } }],
})
`
