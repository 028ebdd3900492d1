import type { Writable } from 'node:stream'
import { ConfigError } from '../../errors/config-error.js'
import { refuseOldPeer } from '../../errors/peer-floor.js'

/** The options of the parser that are used here. */
interface DicerConfig {
  readonly boundary: string
  readonly maxHeaderPairs: number
  readonly maxHeaderSize: number
  readonly highWaterMark: number
}

/** The parser of `multipart` bodies inside `@fastify/busboy`. It emits `part` with a stream for each part. */
export type DicerClass = new (config: DicerConfig) => Writable

/**
 * Loads the parser of forms.
 *
 * @param route The route that needs it, for the error message.
 * @throws ConfigError when `@fastify/busboy` is not installed or is too old.
 */
export async function loadBusboy(route: string): Promise<DicerClass> {
  refuseOldPeer('@fastify/busboy', { subject: route, origin: import.meta.url })
  try {
    // Its types add an event to every stream of the program, and break the types of the others. So the compiler must not
    // find them. Bundlers still see a literal.
    const { Dicer } = await import('@fastify/busboy' as string)
    return Dicer
  } catch (cause) {
    const problem = {
      code: 'E_PEER_MISSING',
      subject: route,
      cause: '@Upload needs the package @fastify/busboy, which is not installed.',
      remedy: 'npm install @fastify/busboy',
    } as const
    throw new ConfigError([problem], { cause })
  }
}
