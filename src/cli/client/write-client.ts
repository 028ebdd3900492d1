import type { OpenApiDocument } from '../../contracts/openapi.js'
import type { ClientKind } from '../client-path.js'
import type { Streams } from '../streams.js'
import { emitClient } from './emit-client.js'
import { findGenerator } from './find-generator.js'
import { generateTypes } from './generate-types.js'

/** The kind of client, and the project that it is for. */
export interface ClientOptions {
  readonly kind: ClientKind
  readonly cwd: string
  /** The time limit in seconds. */
  readonly timeout: number
  readonly streams: Streams
}

/** The client of a document, as the text of a TypeScript file. */
export async function writeClient(
  document: OpenApiDocument,
  { kind, cwd, timeout, streams }: ClientOptions,
): Promise<string> {
  const generator = kind === 'fetch' ? null : findGenerator(cwd)
  if (generator === null) return emitClient(document)
  if (generator.kind === 'unusable') {
    streams.note(`The client is the built-in one: ${generator.cause}`)
    return emitClient(document)
  }
  streams.note(
    'The client is types only, written by the openapi-typescript of this project; `--client fetch` writes functions too.',
  )
  return await generateTypes(document, { generator, cwd, timeout })
}
