import { ConfigError } from '../../errors/config-error.js'

export type FastCheck = typeof import('fast-check')

/**
 * @param who What needs it: `fuzz()`.
 * @throws ConfigError when fast-check is not installed.
 */
export async function loadFastCheck(who: string = 'fuzz()'): Promise<FastCheck> {
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
