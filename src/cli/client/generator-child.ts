// Runs in a process of its own, because it changes what `typescript` means there.
import Module, { createRequire } from 'node:module'
import type { OpenApiDocument } from '../../contracts/openapi.js'
import { messageOf } from '../message-of.js'

/** What is to be generated, and with what. */
export interface GeneratorJob {
  /** openapi-typescript's module. */
  readonly path: string
  /** The module that stands in for `typescript`; `null` leaves that as it is. */
  readonly typescript: string | null
  readonly document: OpenApiDocument
}

/** The types, or why there are none. */
export interface GeneratorReply {
  readonly text?: string
  readonly error?: string
}

/** As much of openapi-typescript 7 as is used. */
interface OpenApiTypescript {
  default(document: OpenApiDocument): Promise<unknown>
  astToString(nodes: unknown): string
}

/** Node's own way from a specifier to a file, which every `require` takes. */
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
  const answer = (result: GeneratorReply) => process.send?.(result, () => process.exit(0))
  generate(job).then(answer, (error) => answer({ error: messageOf(error) }))
})
process.on('disconnect', () => process.exit(1))
