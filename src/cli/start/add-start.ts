import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Streams } from '../streams.js'
import { toSeconds } from '../to-seconds.js'
import type { StartOptions } from './start-options.js'

const DEFAULT_TIMEOUT_SECONDS = 60
const MAX_TIMEOUT_SECONDS = 3600
const MAX_WORKERS = 1024

const NOTES = `
The entry is JavaScript, as tsc or a bundler has written it. Without one it is looked for as dist/main, dist/app or
dist/index, then in build/ and in the folder itself. Arguments after -- are passed to the application.

With several workers: SIGHUP replaces one after the other without a failed request. SIGTERM and SIGINT let them respond to their
requests, and end them. A worker that ends by itself is replaced.
`

type Given = Omit<StartOptions, 'cwd' | 'args' | 'entry'>

/** Adds the command `start`. */
export function addStart(
  parent: Command,
  { cwd, streams }: { readonly cwd: string; readonly streams: Streams },
): void {
  parent
    .command('start')
    .description('run a built application in production, in one process or several')
    .addOption(
      new Option(
        '--workers <number>',
        'how many processes share its port; auto: as many as there are processors for this command',
      )
        .argParser(toWorkers)
        .default(1),
    )
    .addOption(
      new Option(
        '--timeout <seconds>',
        'how long a worker that replaces another one may take until it is ready',
      )
        .argParser(toSeconds(MAX_TIMEOUT_SECONDS))
        .default(DEFAULT_TIMEOUT_SECONDS),
    )
    .argument('[entry]', 'the module that starts the application')
    .argument('[args...]', 'arguments for the application, after --')
    .addHelpText('after', NOTES)
    .action(async (entry: string | undefined, args: readonly string[], given: Given) => {
      const { runStart } = await import('./run-start.js')
      await runStart({ ...given, cwd, entry, args }, streams)
    })
}

function toWorkers(text: string): number | 'auto' {
  if (text === 'auto') return text
  const workers = Number(text)
  if (/^\d+$/.test(text) && workers >= 1 && workers <= MAX_WORKERS) return workers
  throw new InvalidArgumentError(`Give auto, or a whole number from 1 to ${MAX_WORKERS}.`)
}
