import { type Peer, refuseOldPeer } from '../../errors/peer-floor.js'
import { ConfigError } from '../../index.js'

/**
 * Loads a package that is needed only here.
 *
 * @param load Calls `import`, where bundlers can see it.
 * @param install What to give to `npm install`.
 * @throws ConfigError when it cannot be loaded, or is too old.
 */
export async function loadPeer<T>(load: () => Promise<T>, install: string): Promise<T> {
  const name = install.replace(/(?<=.)@.*/, '')
  refuseOldPeer(name as Peer, { subject: 'blazon/postgres', origin: import.meta.url })
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
