import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const FILE = 'swagger-ui-dist/swagger-ui-bundle.js'

/** The folder of `swagger-ui-dist`, as the application sees it or else as this package does; `null` where it is not installed. */
export function findSwaggerUi(): string | null {
  return resolveFrom(join(process.cwd(), 'package.json')) ?? resolveFrom(import.meta.url)
}

function resolveFrom(place: string): string | null {
  try {
    return dirname(createRequire(place).resolve(FILE))
  } catch {
    return null
  }
}
