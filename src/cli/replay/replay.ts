import type { Capsule } from '../../contracts/capsule.js'
import { CliError } from '../cli-error.js'
import { type LoadOptions, loadApp } from '../load/load-app.js'
import type { AnsweredNow } from '../load/protocol.js'
import type { Streams } from '../program-context.js'
import { findSourceLine, formatSourceLine } from '../source-line.js'
import { alignRows } from '../texts.js'
import { type CapsulePlace, capsuleIds, DEFAULT_FOLDER, readCapsule } from './capsule-files.js'

/** Options of `replay`. */
export interface ReplayOptions extends LoadOptions, CapsulePlace {
  /** The path of the test; `true` for the default path. */
  readonly write?: string | true
  readonly database?: boolean
}

/**
 * The names of conventional modules, in the same order as in `blazon dev`, because the module that starts the
 * application also sets up its database.
 */
const MODULES = ['main', 'app', 'index']

/**
 * Runs a capsule's request again in a test, and prints the original response and the new response; or lists the
 * capsules.
 *
 * @throws CliError with status 1 if the server fails again, with status 3 if the result is inconclusive, with status 2
 * if the capsule cannot be run.
 */
export async function replay(
  id: string | undefined,
  options: ReplayOptions,
  streams: Streams,
): Promise<void> {
  if (id === undefined) return listCapsules(options, streams)
  const { database: usesDatabase = false, write, cwd } = options
  const { capsule, file } = readCapsule(id, options)
  refuseCut(capsule, usesDatabase)
  const order = { kind: 'replay', file, route: capsule.record.route, usesDatabase } as const
  const { outcome: now } = await loadApp(order, { names: MODULES, ...options })
  if (now.is === 'stopped') throw new CliError(now)
  for (const line of linesOf(capsule, now, cwd)) streams.out(`${line}\n`)
  for (const note of notesOf(capsule, now, usesDatabase)) streams.note(note)
  const verdict = judge(capsule, now)
  if (write === undefined) {
    if (verdict !== null) throw verdict
    return
  }
  if (!fails(now)) {
    throw new CliError({
      status: 3,
      what: 'No test was written.',
      cause: 'The server no longer fails, so the test would pass.',
      remedy: 'Run the command with the code that caused the failure.',
    })
  }
  const { writeReplayTest } = await import('./write-replay-test.js')
  const config = { source: file, write, usesDatabase, now, cwd, timeout: options.timeout }
  await writeReplayTest(capsule, config, streams)
}

function listCapsules(options: ReplayOptions, streams: Streams): void {
  const ids = capsuleIds(options)
  if (ids.length === 0) {
    const where = options.folder ?? DEFAULT_FOLDER
    streams.note(
      `${where} has no capsules. \`blazon dev\` writes a capsule for each request that fails in the server.`,
    )
  }
  const rows = ids.map((id) => {
    try {
      const { method, url, status, outcome, error } = readCapsule(id, options).capsule.record
      const why = error === null ? '' : `${error.name}: ${error.message}`
      return [id, String(status ?? outcome), method, printable(url), printable(why)]
    } catch {
      return [id, '', '', 'It cannot be read.', '']
    }
  })
  for (const line of alignRows(rows)) streams.out(`${line.trimEnd()}\n`)
}

const LONGEST = 160

/** Removes control characters, so that untrusted text cannot affect the terminal. */
function printable(text: string): string {
  return text.replace(/[\p{C}\s]+/gu, ' ').slice(0, LONGEST)
}

function refuseCut({ cut, record: { cause } }: Capsule, usesDatabase: boolean): void {
  const why = cut.filter((each) => !(usesDatabase && /statement/.test(each)))
  if (cause === 'upgrade') why.push('The request was a connection upgrade.')
  if (why.length === 0) return
  throw new CliError({
    status: 2,
    what: 'The capsule cannot be run.',
    cause: why.map(printable).join(' '),
    remedy: cut.some((each) => /statement/.test(each))
      ? 'To run the statements in the database of the application, add --database. A missing body cannot be restored: write a test that sends one.'
      : 'Write a test that sends such a request: the capsule is not sufficient.',
  })
}

function fails({ status }: AnsweredNow): boolean {
  return status === null || status >= 500
}

function linesOf(
  { id, record: { method, url, status, error } }: Capsule,
  now: AnsweredNow,
  cwd: string,
): string[] {
  return [
    `${method} ${printable(url)} (${id})`,
    ...alignRows([
      ['then', answerText({ status, error }, cwd)],
      ['now', answerText(now, cwd)],
    ]),
  ]
}

function answerText({ status, error }: Pick<AnsweredNow, 'status' | 'error'>, cwd: string): string {
  const what = status === null ? 'no response' : String(status)
  if (error === null) return what
  const line = findSourceLine(error.stack ?? '')
  const place = line === undefined ? '' : ` at ${formatSourceLine(line, cwd)}`
  return `${what} ${printable(`${error.name}: ${error.message}`)}${place}`
}

function* notesOf({ hidden, sent, statements }: Capsule, now: AnsweredNow, usesDatabase: boolean) {
  if (sent.body === null && sent.base64 === undefined && sent.omitted !== null)
    yield `The request was sent without its body: ${sent.omitted}`
  if (hidden.length > 0) yield `These secrets were replaced: ${hidden.map(printable).join(', ')}.`
  if (usesDatabase) yield 'The statements ran in the database of the application.'
  else if (now.statementCount < statements.length)
    yield `The request ran ${now.statementCount} of the ${statements.length} statements of the capsule.`
}

/** Returns the failure to report; `null` if the server no longer fails. */
function judge({ record, hidden }: Capsule, now: AnsweredNow): CliError | null {
  if (fails(now)) {
    return new CliError({
      status: 1,
      what: 'The request still fails.',
      remedy:
        'Correct the code, and run the command again; --write creates a test from the capsule.',
    })
  }
  const wasInHandler = record.steps.some(({ step }) => step === 'handler')
  if (wasInHandler && !now.hasReachedHandler) {
    return undecided(
      `The failed request had reached the handler. Now the step '${now.answeredBy}' responds with ${now.status} before the handler runs.`,
    )
  }
  const replaced = ['url', 'body'].filter((part) => hidden.includes(part))
  if (replaced.length === 0) return null
  return undecided(
    `Values of the request were replaced as secrets (${replaced.join(', ')}), and the response may depend on them.`,
  )
}

function undecided(cause: string): CliError {
  return new CliError({
    status: 3,
    what: 'It is unknown whether the server still fails.',
    cause,
    remedy: 'Send the request as your client does, or write a test that sends it.',
  })
}
