import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { ConfigError } from './config-error.js'

/** An optional peer dependency with a minimum version. */
export type Peer =
  | '@electric-sql/pglite'
  | '@fastify/busboy'
  | '@opentelemetry/api'
  | '@valibot/to-json-schema'
  | 'drizzle-orm'
  | 'esbuild'
  | 'fast-check'
  | 'jose'
  | 'pg'
  | 'pg-boss'
  | 'redis'
  | 'supertest'
  | 'swagger-ui-dist'
  | 'tsx'
  | 'typeorm'
  | 'vite'

/**
 * The minimum version of each peer dependency. The code that uses a peer dependency is tested with this version. The
 * ranges in `peerDependencies` are wider, so that npm can install an application that itself uses an older version.
 */
export const PEER_FLOORS: Readonly<Record<Peer, string>> = {
  '@electric-sql/pglite': '0.5.5',
  '@fastify/busboy': '3.2.0',
  '@opentelemetry/api': '1.0.0',
  '@valibot/to-json-schema': '1.0.0',
  'drizzle-orm': '0.36.4',
  esbuild: '0.21.5',
  'fast-check': '4.0.0',
  jose: '5.10.0',
  pg: '8.23.0',
  'pg-boss': '12.38.0',
  redis: '6.0.0',
  supertest: '7.0.0',
  'swagger-ui-dist': '5.0.0',
  tsx: '4.0.0',
  typeorm: '0.3.31',
  vite: '6.0.0',
}

/** An installed peer dependency that is too old. */
export interface OldPeer {
  /** A sentence with the installed version and the minimum version. */
  readonly cause: string
  /** The command that installs a newer version. */
  readonly remedy: string
}

/** The code that needs an optional package. */
export interface PeerUse {
  /** The name in errors: `blazon/redis`. */
  readonly subject: string
  /** The file or the URL of the module that loads the package. */
  readonly origin: string
  /**
   * The minimum version. Default: the version that the framework itself requires, if it uses the package; otherwise
   * none.
   */
  readonly floor?: string
  /** The command that installs the package. Default: `npm install` with the package name. */
  readonly install?: string
}

/**
 * Checks the version of an installed peer dependency.
 *
 * @param origin The file or the URL of the module that loads the package.
 * @returns `null` if the package is recent enough, or if its version cannot be read, as in a bundle, which contains no
 * manifests.
 */
export function findOldPeer(
  name: string,
  origin: string,
  floor: string = PEER_FLOORS[name as Peer] ?? '0.0.0',
): OldPeer | null {
  const version = versionOf(name, origin)
  if (version === null || !isBefore(version, floor)) return null
  return {
    cause: `The installed version of ${name} is ${version}. The oldest supported version is ${floor}.`,
    remedy: `npm install ${name}@latest`,
  }
}

/**
 * Refuses an optional package that is too old, before it is loaded. A missing package is not refused, because loading
 * it results in a more precise error. A package whose version cannot be read is not refused either.
 *
 * @throws ConfigError `E_PEER_MISSING`, with the installed version and the minimum version.
 * @example
 * refuseOldPeer('kafkajs', { subject: 'my-events', origin: import.meta.url, floor: '2.2.0' })
 */
export function refuseOldPeer(name: string, { subject, origin, floor }: PeerUse): void {
  const old = findOldPeer(name, origin, floor)
  if (old !== null) throw new ConfigError([{ code: 'E_PEER_MISSING', subject, ...old }])
}

/**
 * Loads an optional package.
 *
 * @param load Calls `import` with a literal, so that bundlers find the package.
 * @throws ConfigError `E_PEER_MISSING` if the package is too old, like {@link refuseOldPeer}, or cannot be loaded.
 * @example
 * const use = { subject: 'my-events', origin: import.meta.url, floor: '2.2.0' }
 * const { Kafka } = await loadPeer('kafkajs', use, () => import('kafkajs'))
 */
export async function loadPeer<T>(name: string, use: PeerUse, load: () => Promise<T>): Promise<T> {
  refuseOldPeer(name, use)
  try {
    return await load()
  } catch (error) {
    const problem = {
      code: 'E_PEER_MISSING',
      subject: use.subject,
      cause: `It needs the package ${name}, which cannot be loaded.`,
      remedy: use.install ?? `npm install ${name}`,
    } as const
    throw new ConfigError([problem], { cause: error })
  }
}

/** Reads the manifest as a file, because some packages do not export their `package.json`. */
function versionOf(name: string, origin: string): string | null {
  for (const folder of foldersFrom(origin)) {
    try {
      const { version } = JSON.parse(readFileSync(join(folder, name, 'package.json'), 'utf8'))
      return typeof version === 'string' ? version : null
    } catch {
      // The package is not in this folder.
    }
  }
  return null
}

/** The folders in which Node searches for packages. */
function foldersFrom(origin: string): readonly string[] {
  try {
    return createRequire(origin).resolve.paths('any') ?? []
  } catch {
    // A bundle in CommonJS format has no module URL.
    return []
  }
}

function isBefore(version: string, floor: string): boolean {
  const [have, need] = [numbersOf(version), numbersOf(floor)]
  const at = have.findIndex((number, index) => number !== need[index])
  return at >= 0 && (have[at] as number) < (need[at] as number)
}

/** Returns the numbers of a version. A prerelease or a build counts as its release. A missing number is 0. */
function numbersOf(version: string): readonly number[] {
  const [release = ''] = version.split(/[+-]/, 1)
  const numbers = release.split('.')
  return [0, 1, 2].map((index) => Number.parseInt(numbers[index] ?? '', 10) || 0)
}
