import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { root } from '../root.js'
import { builtPackage } from './built-package.js'
import { Project } from './project.js'

const run = promisify(execFile)

const PACKAGES = [
  '@types/node',
  '@types/supertest',
  'supertest',
  'tsx',
  'esbuild',
  'vite',
  'vitest',
  'zod',
  'pg',
]

/** The environment of a user: nothing that this runner or npm has set. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(VITEST|NODE_|TEST$|npm_|DATABASE_URL$|REDIS_URL$)/.test(name),
  ),
)

/** How a program of a project has ended. */
export interface Ended {
  readonly status: number
  readonly output: string
}

/** A project as `blazon new` makes it, with the packages of this repository. It is removed after the test. */
export async function madeProject(options: readonly string[]): Promise<Project> {
  const made = new Project([])
  onTestFinished(() => made.remove())
  rmSync(join(made.folder, 'node_modules'), { recursive: true })
  const command = join(builtPackage(), 'dist/cli/main.js')
  const fixed = ['--name', 'made', '--template', 'minimal', '--no-install', '--no-git']
  await run(process.execPath, [command, 'new', made.folder, ...fixed, ...options])
  made.install('blazon', builtPackage())
  for (const name of PACKAGES) made.install(name, join(root, 'node_modules', name))
  return made
}

/** Runs the tests of a file as the project does. */
export function runTests(made: Project, runner: 'vitest' | 'node', file: string): Promise<Ended> {
  const args =
    runner === 'vitest'
      ? [join(root, 'node_modules/vitest/vitest.mjs'), 'run', file]
      : ['--import', 'tsx', '--test', '--test-reporter', 'tap', file]
  return new Promise((resolve) => {
    const options = { cwd: made.folder, env: environment }
    const child = execFile(process.execPath, args, options, (_, stdout, stderr) =>
      resolve({ status: child.exitCode ?? -1, output: stdout + stderr }),
    )
  })
}
