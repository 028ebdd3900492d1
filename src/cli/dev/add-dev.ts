import { type Command, InvalidArgumentError } from 'commander'
import type { Streams } from '../program-context.js'
import type { DevOptions } from './dev-options.js'

const MAX_PORT = 65_535

const NOTES = `
The command runs the main module of the application, and restarts it when a loaded file changes. Arguments after --
are passed to the application. Without --entry, the path of the module comes from blazon.config.{json,js,mjs,ts} or from
"blazon" in package.json; otherwise, src/main, src/app or src/index is used.
`

/** Adds the command `dev`. */
export function addDev(
  parent: Command,
  { cwd, streams }: { readonly cwd: string; readonly streams: Streams },
): void {
  parent
    .command('dev')
    .description('run an application, and restart it when its files change')
    .option('--entry <file>', 'the module that starts the application')
    .option(
      '--port <number>',
      'the port of the first server of the application; also set as PORT',
      toPort,
    )
    .option('--inspect [address]', 'let a debugger connect to the application: port or host:port')
    .option('--watch <path...>', 'more files and folders to watch, such as views')
    .option(
      '--dashboard-port <number>',
      'the port of the dashboard (default: any free port)',
      toPort,
    )
    .option('--no-dashboard', 'do not record requests, and do not show a dashboard')
    .argument('[args...]', 'arguments for the application, after --')
    .addHelpText('after', NOTES)
    .action(async (args: readonly string[], options: Omit<DevOptions, 'cwd' | 'args'>) => {
      const { runDev } = await import('./run-dev.js')
      await runDev({ ...options, cwd, args }, streams)
    })
}

function toPort(text: string): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= MAX_PORT) return port
  throw new InvalidArgumentError(`Specify a port: a whole number up to ${MAX_PORT}.`)
}
