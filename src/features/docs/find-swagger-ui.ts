import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { refuseOldPeer } from '../../errors/peer-floor.js'

const FILE = 'swagger-ui-dist/swagger-ui-bundle.js'

/**
 * Finds the folder of `swagger-ui-dist`, first from the working directory of the application, then from this
 * package. Returns `null` if it is not installed.
 *
 * @throws ConfigError when the installed version is too old.
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
