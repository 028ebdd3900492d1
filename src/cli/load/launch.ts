import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { findOldPeer } from '../../errors/peer-floor.js'
import { CliError } from '../cli-error.js'
import { nearestWith } from '../output-path.js'

/** The Node options and environment variables for running a module. */
export interface Launch {
  readonly nodeOptions: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

const TYPESCRIPT = new Set(['.ts', '.mts', '.cts', '.tsx'])

/**
 * Node runs JavaScript itself. TypeScript runs through the project's own tsx.
 *
 * @throws CliError with status 4 when the project has no tsx, or its tsx is too old.
 */
export function launchFor(module: string, cwd: string): Launch {
  if (!TYPESCRIPT.has(extname(module))) return { nodeOptions: [], env: {} }
  const places = [dirname(module), cwd]
  const place = places.find((folder) => resolveFrom(folder, 'tsx') !== undefined)
  const tsx = place && resolveFrom(place, 'tsx')
  // The oldest versions have no module for `--import`, so they cannot be resolved.
  for (const folder of place === undefined ? places : [place]) refuseOldTsx(folder)
  if (tsx === undefined) throw missingTsx(module)
  const folder = nearestWith('tsconfig.json', dirname(module))
  // By default tsx reads the tsconfig of the working directory, which also chooses the decorator dialect. Use
  // the module's own.
  const env = folder === undefined ? {} : { TSX_TSCONFIG_PATH: join(folder, 'tsconfig.json') }
  return { nodeOptions: ['--import', pathToFileURL(tsx).href], env }
}

/** Resolves a package from a folder; `undefined` when it is not installed. */
export function resolveFrom(folder: string, specifier: string): string | undefined {
  try {
    return createRequire(join(folder, 'noop.js')).resolve(specifier)
  } catch {
    return undefined
  }
}

function refuseOldTsx(folder: string): void {
  const old = findOldPeer('tsx', join(folder, 'noop.js'))
  if (old !== null) throw new CliError({ status: 4, what: 'The package tsx is too old.', ...old })
}

function missingTsx(module: string): CliError {
  return new CliError({
    status: 4,
    what: `The package tsx is missing.`,
    cause: `${module} is TypeScript with decorators, which Node cannot run.`,
    remedy: 'Run `npm install --save-dev tsx`, or name a compiled entry: `--entry dist/app.js`.',
  })
}
