// Runs in its own process, because it replaces the module `typescript` there.
import Module, { createRequire } from 'node:module'
import type { OpenApiDocument } from '../../contracts/openapi.js'
import { messageOf } from '../message-of.js'

/** The input of the child process. */
export interface GeneratorJob {
  /** The path of openapi-typescript's module. */
  readonly path: string
  /** The path of the module that replaces `typescript`; `null` replaces nothing. */
  readonly typescript: string | null
  readonly document: OpenApiDocument
}

/** The generated types, or the error. */
export interface GeneratorReply {
  readonly text?: string
  readonly error?: string
}

/** The part of openapi-typescript 7 that is used. */
interface OpenApiTypescript {
  default(document: OpenApiDocument): Promise<unknown>
  astToString(nodes: unknown): string
}

/** Node's internal function that resolves every `require` to a file. */
interface Resolver {
  _resolveFilename(specifier: string, ...rest: unknown[]): string
}

const HEADER = '/** Written by openapi-typescript: changes here do not last. */\n'

async function generate({ path, typescript, document }: GeneratorJob): Promise<GeneratorReply> {
  if (typescript !== null) standIn(typescript)
  const generator: OpenApiTypescript = createRequire(path)(path)
  return { text: HEADER + generator.astToString(await generator.default(document)) }
}

function standIn(typescript: string): void {
  const resolver = Module as unknown as Resolver
  const resolve = resolver._resolveFilename
  resolver._resolveFilename = function resolveFilename(specifier, ...rest) {
    return resolve.call(this, specifier === 'typescript' ? typescript : specifier, ...rest)
  }
}

process.once('message', (job: GeneratorJob) => {
  const sendReply = (result: GeneratorReply) => process.send?.(result, () => process.exit(0))
  generate(job).then(sendReply, (error) => sendReply({ error: messageOf(error) }))
})
process.on('disconnect', () => process.exit(1))
