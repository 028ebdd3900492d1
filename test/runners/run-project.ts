import { execFile } from 'node:child_process'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))

/** The result of a run of the tests of a project. */
export interface Outcome {
  readonly status: number
  readonly output: string
}

/** Options of a run. */
export interface RunOptions {
  /** The script of its `package.json`. Default `test`. */
  readonly script?: string
  /** Arguments for the runner. */
  readonly args?: readonly string[]
  /** The Node that runs it. Default: the current one. */
  readonly node?: string
  readonly env?: Readonly<Record<string, string>>
}

/** Runs a script of a project as users do: by npm, with a Node that is first in the path. */
export function runProject(project: string, options: RunOptions = {}): Promise<Outcome> {
  const { script = 'test', args = [], node = process.execPath, env = {} } = options
  const path = [dirname(node), process.env['PATH']].join(delimiter)
  const settings = {
    cwd: join(here, project),
    env: { ...ownEnvironment(), NO_COLOR: '1', PATH: path, ...env },
    maxBuffer: 64 << 20,
  }
  return new Promise((resolve) => {
    const child = execFile(
      'npm',
      ['run', '--silent', script, ...(args.length > 0 ? ['--', ...args] : [])],
      settings,
      (_, stdout, stderr) =>
        resolve({ status: child.exitCode ?? -1, output: `${stdout}\n${stderr}` }),
    )
  })
}

/** The environment without the variables that the current runner has set for its own tests. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const isForeign = (name: string) =>
    /^(VITEST|JEST|NODE_ENV$|NODE_OPTIONS$|TEST$|npm_|FORCE_COLOR$)/.test(name)
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !isForeign(name)))
}
