import { createRequire } from 'node:module'
import { join } from 'node:path'
import { ConfigError } from '../../index.js'
import { refuseOldPeer } from '../../plugin/index.js'

/** The package `typeorm`, as its types describe it. */
export type TypeOrmPackage = typeof import('typeorm')

let loaded: TypeOrmPackage | undefined

/**
 * Loads the application's own copy of `typeorm`: its classes are tokens, so they must be the classes that the
 * application imports. Looks first in the working directory, then from this file. Uses `require` instead of
 * `import`, because plugins list their tokens synchronously.
 *
 * @throws ConfigError when it cannot be loaded, or is too old.
 */
export function loadTypeOrm(): TypeOrmPackage {
  loaded ??= load()
  return loaded
}

function load(): TypeOrmPackage {
  const application = join(process.cwd(), 'package.json')
  try {
    return loadFrom(application)
  } catch (error) {
    if (error instanceof ConfigError) throw error
    // Not installed there. When the application is linked, the package may be found from this file.
  }
  try {
    return loadFrom(import.meta.url)
  } catch (error) {
    if (error instanceof ConfigError) throw error
    const problem = {
      code: 'E_PEER_MISSING',
      subject: 'blazon/typeorm',
      cause: 'It needs the package typeorm, which cannot be loaded.',
      remedy: 'npm install typeorm@1',
    } as const
    throw new ConfigError([problem], { cause: error })
  }
}

function loadFrom(origin: string): TypeOrmPackage {
  refuseOldPeer('typeorm', { subject: 'blazon/typeorm', origin })
  return createRequire(origin)('typeorm')
}
