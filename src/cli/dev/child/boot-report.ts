import { findOwnLine } from '../../own-line.js'
import type { BootError } from '../protocol.js'
import type { Channel } from './channel.js'
import { locateSyntaxError } from './locate-syntax-error.js'

/** Reports to the command why this process does not start: an error, and what it has written to stderr. */
export class BootReport {
  readonly #channel: Channel
  readonly #takeFiles: () => readonly string[]
  readonly #write = process.stderr.write
  #isOver = false

  /** @param takeFiles Reports the files that the application has loaded, and returns them in order. */
  constructor(channel: Channel, takeFiles: () => readonly string[]) {
    this.#channel = channel
    this.#takeFiles = takeFiles
    process.prependListener('uncaughtException', this.#fail)
    const { stderr } = process
    const write = this.#write as (...args: unknown[]) => boolean
    stderr.write = ((...args: unknown[]) => {
      if (!this.#isOver) channel.send({ kind: 'output', text: String(args[0]) })
      return write.apply(stderr, args)
    }) as typeof stderr.write
  }

  /** A server listens: from now on errors are as they would be without the command. */
  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    process.removeListener('uncaughtException', this.#fail)
    process.stderr.write = this.#write
  }

  /** Adds the place of a syntax error, if Node has not written it into the error. */
  #describe(error: unknown, files: readonly string[]): BootError {
    const described = plain(error)
    if (!(error instanceof SyntaxError) || findOwnLine(described.stack)) return described
    const place = locateSyntaxError(files)
    return place === undefined ? described : { ...described, stack: place }
  }

  readonly #fail = (error: unknown): void => {
    // The application handles its errors itself.
    if (process.listenerCount('uncaughtException') > 1) return
    // Reported before this process ends: the command watches these files for the next save.
    const described = this.#describe(error, this.#takeFiles())
    const send = (places: BootError['places']) =>
      this.#channel.send({ kind: 'failed', error: { ...described, places } }, () => process.exit(1))
    if (described.name !== 'ConfigError') send(undefined)
    // An error in the search must not hide the error that is reported.
    else placesOf(error).then(send, () => send(undefined))
  }
}

/** Its code is loaded here, because only errors need it. */
async function placesOf(error: unknown): Promise<BootError['places']> {
  const { findDeclaredPlaces } = await import('./declared-places.js')
  return findDeclaredPlaces(error)
}

function plain(error: unknown): BootError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), stack: '' }
  const { name, message, stack = '' } = error
  const { code } = error as NodeJS.ErrnoException
  return { name, message, stack, code: typeof code === 'string' ? code : undefined }
}
