import { ConfigError } from '../../index.js'
import { refuseOldPeer } from '../../plugin/index.js'

/**
 * Loads an optional package.
 *
 * @param load Calls `import` with a literal, so that bundlers can find it.
 * @param install The argument for `npm install`, in the error message.
 * @throws ConfigError when the package cannot be loaded, or is too old.
 */
export async function loadPeer<T>(load: () => Promise<T>, install: string): Promise<T> {
  const name = install.replace(/(?<=.)@.*/, '')
  refuseOldPeer(name, { subject: 'blazon/postgres', origin: import.meta.url })
  try {
    return await load()
  } catch (error) {
    const problem = {
      code: 'E_PEER_MISSING',
      subject: 'blazon/postgres',
      cause: `It needs the package ${name}, which cannot be loaded.`,
      remedy: `npm install ${install}`,
    } as const
    throw new ConfigError([problem], { cause: error })
  }
}
