import { ConfigError } from '../../errors/config-error.js'
import { refuseOldPeer } from '../../errors/peer-floor.js'

export type FastCheck = typeof import('fast-check')

/**
 * Loads fast-check.
 *
 * @param who The function that needs it, for the error message.
 * @throws ConfigError when fast-check is not installed or is too old.
 */
export async function loadFastCheck(who: string = 'fuzz()'): Promise<FastCheck> {
  refuseOldPeer('fast-check', { subject: 'blazon/testing', origin: import.meta.url })
  try {
    return await import('fast-check')
  } catch (cause) {
    const problem = {
      code: 'E_PEER_MISSING',
      subject: 'blazon/testing',
      cause: `${who} needs the package fast-check, which is not installed.`,
      remedy: 'npm install --save-dev fast-check',
    } as const
    throw new ConfigError([problem], { cause })
  }
}
