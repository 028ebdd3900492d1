import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { launchFor } from '../load/launch.js'
import type { AppLaunch } from './app-process.js'
import type { DevOptions } from './dev-options.js'
import { REPORT_VARIABLE } from './protocol.js'

/** The port of `app.listen()`. */
const DEFAULT_PORT = 3000

/** The path of the file with variables of the environment, which need not exist. */
export function envFile(cwd: string): string {
  return join(cwd, '.env')
}

/** How the next process is started: with the `.env` of now. Variables of the environment itself win. */
export function appLaunch(entry: string, options: DevOptions): AppLaunch {
  const { cwd, inspect, port, args } = options
  const { nodeOptions, env } = launchFor(entry, cwd)
  const file = envFile(cwd)
  const own = [
    ...(existsSync(file) ? [`--env-file=${file}`] : []),
    ...(inspect === undefined ? [] : [inspect === true ? '--inspect' : `--inspect=${inspect}`]),
    // Errors then name the lines of the sources, also for compiled JavaScript.
    '--enable-source-maps',
  ]
  const portEnv = port === undefined ? {} : { PORT: String(port) }
  return {
    entry,
    cwd,
    args,
    nodeOptions: [...own, ...nodeOptions],
    env: {
      ...env,
      ...process.env,
      ...portEnv,
      ...(options.dashboard && { [REPORT_VARIABLE]: '1' }),
    },
  }
}

/** The port at which the application probably listens, before it has said so. */
export function likelyPort({ cwd, port }: DevOptions): number {
  if (port !== undefined) return port
  const named = Number(process.env['PORT'] ?? readEnv(envFile(cwd))['PORT'])
  return Number.isInteger(named) && named > 0 && named <= 65_535 ? named : DEFAULT_PORT
}

function readEnv(file: string): Record<string, string | undefined> {
  try {
    return parseEnv(readFileSync(file, 'utf8')) as Record<string, string | undefined>
  } catch {
    return {}
  }
}
