import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { OpenApiDocument } from '../../contracts/openapi.js'
import { CliError } from '../cli-error.js'
import type { Generator } from './find-generator.js'
import type { GeneratorJob, GeneratorReply } from './generator-child.js'

/** How the types are generated. */
export interface GenerateOptions {
  readonly generator: Extract<Generator, { kind: 'usable' }>
  readonly cwd: string
  /** Seconds. */
  readonly timeout: number
}

const CHILD = fileURLToPath(new URL('./generator-child.js', import.meta.url))

/**
 * Has openapi-typescript write the types of a document, in a process of its own: it may need another TypeScript than
 * the one it finds.
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
  let answer: GeneratorReply | undefined
  child.once('message', (message) => {
    answer = message as GeneratorReply
  })
  child.send(job, () => {})
  await Promise.all([once(child, 'close'), once(child, 'disconnect')])
  if (answer?.text !== undefined) return answer.text
  throw new CliError({
    status: 1,
    what: 'openapi-typescript failed.',
    cause: answer?.error ?? `It ended without a result, or took more than ${timeout} seconds.`,
    remedy: 'Use the built-in client instead: --client fetch',
  })
}
