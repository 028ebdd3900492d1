import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { OpenApiDocument } from '../../contracts/openapi.js'
import { CliError } from '../cli-error.js'
import type { Generator } from './find-generator.js'
import type { GeneratorJob, GeneratorReply } from './generator-child.js'

/** Options of {@link generateTypes}. */
export interface GenerateOptions {
  readonly generator: Extract<Generator, { kind: 'usable' }>
  readonly cwd: string
  /** The time limit in seconds. */
  readonly timeout: number
}

const CHILD = fileURLToPath(new URL('./generator-child.js', import.meta.url))

/**
 * Generates the types of a document with openapi-typescript. It runs in a child process, because it may need
 * another TypeScript than the installed one.
 *
 * @throws CliError when it fails.
 */
export async function generateTypes(
  document: OpenApiDocument,
  { generator, cwd, timeout }: GenerateOptions,
): Promise<string> {
  const child = spawn(process.execPath, [CHILD], {
    cwd,
    stdio: ['ignore', 2, 2, 'ipc'],
    timeout: timeout * 1000,
    killSignal: 'SIGKILL',
  })
  const { path, typescript } = generator
  const job: GeneratorJob = { path, typescript, document }
  let reply: GeneratorReply | undefined
  child.once('message', (message) => {
    reply = message as GeneratorReply
  })
  child.send(job, () => {})
  await Promise.all([once(child, 'close'), once(child, 'disconnect')])
  if (reply?.text !== undefined) return reply.text
  throw new CliError({
    status: 1,
    what: 'openapi-typescript failed.',
    cause: reply?.error ?? `It ended without a result, or took more than ${timeout} seconds.`,
    remedy: 'Use the built-in client instead: --client fetch',
  })
}
