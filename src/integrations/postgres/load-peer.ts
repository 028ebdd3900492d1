/**
 * Loads a package that is needed only here.
 *
 * @param load Calls `import`, where bundlers can see it.
 * @param install What to give to `npm install`.
 * @throws ConfigError when it cannot be loaded.
 */
import { ConfigError } from '../../index.js'
export async function loadPeer<T>(load: () => Promise<T>, install: string): Promise<T> {
  try {
    return await load()
  } catch (error) {
    const name = install.replace(/(?<=.)@.*/, '')
    const problem = {
      code: 'E_PEER_MISSING',
      subject: 'blazon/postgres',
      cause: `It speaks to the database with the package ${name}, which cannot be loaded.`,
      remedy: `npm install ${install}`,
    } as const
    throw new ConfigError([problem], { cause: error })
  }
}
