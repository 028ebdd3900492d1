import { type Command, InvalidArgumentError } from 'commander'
import { toSeconds } from '../command-options.js'
import type { Streams } from '../program-context.js'
import type { StartOptions } from './run-start.js'

const MAX_SECONDS = 3600
const MAX_WORKERS = 1024

const NOTES = `
The entry is a JavaScript file, as tsc or a bundler writes it. Arguments after -- are passed to the application.

With several workers: SIGHUP replaces them one after the other. SIGTERM and SIGINT let them finish their requests, and then
stop them. If a worker ends by itself, or if its event loop is blocked, it is replaced.
`

/** Adds the command `start`. */
export function addStart(
  parent: Command,
  { cwd, streams }: { readonly cwd: string; readonly streams: Streams },
): void {
  const workers = 'the number of processes that share the port; auto: one for each processor'
  const timeout = 'the time limit for a replacement worker to become ready'
  const heartbeat = 'the time limit for a blocked event loop of a worker; 0: no limit'
  parent
    .command('start')
    .description('run a built application in production, in one process or several')
    .option('--workers <number>', workers, toWorkers, 1)
    .option(
      '--jobs',
      'also run the jobs of the application and its schedules, as jobs({ work: true }) does',
    )
    .option('--timeout <seconds>', timeout, toSeconds(MAX_SECONDS), 60)
    .option('--heartbeat <seconds>', heartbeat, toSeconds(MAX_SECONDS, 0), 30)
    .argument('[entry]', 'the module that starts the application', 'dist/main.js')
    .argument('[args...]', 'arguments for the application, after --')
    .addHelpText('after', NOTES)
    .action(async (entry: string, args: string[], given: Omit<StartOptions, 'cwd' | 'args'>) => {
      const { runStart } = await import('./run-start.js')
      await runStart({ ...given, cwd, entry, args }, streams)
    })
}

function toWorkers(text: string): number | 'auto' {
  if (text === 'auto') return text
  const workers = Number(text)
  if (/^\d+$/.test(text) && workers >= 1 && workers <= MAX_WORKERS) return workers
  throw new InvalidArgumentError(`Specify auto, or a whole number from 1 to ${MAX_WORKERS}.`)
}
