import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { refuseOldPeer } from '../../errors/peer-floor.js'

const FILE = 'swagger-ui-dist/swagger-ui-bundle.js'

/**
 * Returns the folder of `swagger-ui-dist`. The package is searched from the working directory, then from this
 * file. Returns `null` if neither search finds it.
 *
 * @throws ConfigError when the package is too old.
 */
export function findSwaggerUi(): string | null {
  return resolveFrom(join(process.cwd(), 'package.json')) ?? resolveFrom(import.meta.url)
}

function resolveFrom(origin: string): string | null {
  const folder = folderFrom(origin)
  if (folder !== null) refuseOldPeer('swagger-ui-dist', { subject: 'swagger', origin })
  return folder
}

function folderFrom(origin: string): string | null {
  try {
    return dirname(createRequire(origin).resolve(FILE))
  } catch {
    return null
  }
}
