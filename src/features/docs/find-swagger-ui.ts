import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { refuseOldPeer } from '../../errors/peer-floor.js'

const FILE = 'swagger-ui-dist/swagger-ui-bundle.js'

/**
 * Finds the `swagger-ui-dist` folder. Searches from the application's working directory first, then from this package.
 * Returns `null` if the package is not installed.
 *
 * @param floor The oldest version that can show the documents. Default: the oldest supported version.
 * @throws ConfigError if the installed version is too old.
 */
export function findSwaggerUi(floor?: string): string | null {
  const own = join(process.cwd(), 'package.json')
  return resolveFrom(own, floor) ?? resolveFrom(import.meta.url, floor)
}

function resolveFrom(origin: string, floor: string | undefined): string | null {
  const folder = folderFrom(origin)
  if (folder !== null) {
    const use = { subject: 'swagger', origin, ...(floor !== undefined && { floor }) }
    refuseOldPeer('swagger-ui-dist', use)
  }
  return folder
}

function folderFrom(origin: string): string | null {
  try {
    return dirname(createRequire(origin).resolve(FILE))
  } catch {
    return null
  }
}
