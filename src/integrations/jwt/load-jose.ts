import { ConfigError } from '../../index.js'
import { refuseOldPeer } from '../../plugin/index.js'

/** The function of the package `jose` that this door uses. */
export type Jose = Pick<typeof import('jose'), 'compactVerify'>

/**
 * Loads `jose`.
 *
 * @throws ConfigError when it cannot be loaded, or is too old.
 */
export async function loadJose(): Promise<Jose> {
  refuseOldPeer('jose', { subject: 'blazon/jwt', origin: import.meta.url })
  try {
    return await import('jose')
  } catch (error) {
    const problem = {
      code: 'E_PEER_MISSING',
      subject: 'blazon/jwt',
      cause: 'It needs the package jose, which cannot be loaded.',
      remedy: 'npm install jose@6',
    } as const
    throw new ConfigError([problem], { cause: error })
  }
}
