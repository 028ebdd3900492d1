import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findOldPeer } from '../../errors/peer-floor.js'
import { resolveFrom } from '../load/launch.js'
import { nearestWith } from '../output-path.js'

/** The project's openapi-typescript, and the TypeScript compiler that it uses. */
export type Generator =
  | {
      readonly kind: 'usable'
      /** The path of its module. */
      readonly path: string
      /**
       * The path of another TypeScript package, when openapi-typescript cannot use the project's own; else
       * `null`.
       */
      readonly typescript: string | null
    }
  | { readonly kind: 'unusable'; readonly cause: string }

/**
 * From this version on, the package `typescript` has no compiler API, and openapi-typescript cannot load it.
 */
const WITHOUT_API = 7

const PACKAGE = 'openapi-typescript'

/**
 * Finds openapi-typescript in a project; `null` when the project's `package.json` does not list it. A copy
 * that only another package installed is ignored: the generated file would change when that package changes.
 */
export function findGenerator(cwd: string): Generator | null {
  const path = Object.hasOwn(dependenciesOf(cwd), PACKAGE) ? resolveFrom(cwd, PACKAGE) : undefined
  if (path === undefined) return null
  const old = findOldPeer(PACKAGE, join(cwd, 'noop.js'))
  if (old !== null) return { kind: 'unusable', cause: `${old.cause} Run \`${old.remedy}\`.` }
  const own = resolveFrom(dirname(path), 'typescript')
  const version = own === undefined ? null : versionOf(own)
  if (version !== null && version < WITHOUT_API) return { kind: 'usable', path, typescript: null }
  const typescript = findOlderTypescript(cwd)
  if (typescript !== undefined) return { kind: 'usable', path, typescript }
  const found =
    version === null ? 'finds no TypeScript' : `does not work with TypeScript ${version}`
  return {
    kind: 'unusable',
    cause: `openapi-typescript ${found}. ${GIVE_OLDER}`,
  }
}

/** Its peer dependency is TypeScript 5, so npm refuses to install it beside another version without the override. */
const GIVE_OLDER =
  'It works with TypeScript 5 and 6. To give it TypeScript 6 beside the TypeScript of the project, write "overrides": { "openapi-typescript": { "typescript": "$typescript" } } into package.json, and run `npm install --save-dev @typescript/typescript6`.'

/**
 * A TypeScript package with a compiler API under another name: the official package, or an alias in the
 * project.
 */
function findOlderTypescript(cwd: string): string | undefined {
  const names = ['@typescript/typescript6', ...aliases(cwd)]
  const paths = names.flatMap((name) => resolveFrom(cwd, name) ?? [])
  return paths.find((path) => (versionOf(path) ?? WITHOUT_API) < WITHOUT_API)
}

/** The aliases of TypeScript in the project's `package.json`: `"typescript-5": "npm:typescript@5.9"`. */
function aliases(cwd: string): string[] {
  return Object.entries(dependenciesOf(cwd))
    .filter(([, wanted]) => /^npm:(@typescript\/)?typescript/.test(String(wanted)))
    .map(([name]) => name)
}

/** The dependencies that the project's own `package.json` lists. */
function dependenciesOf(cwd: string): Readonly<Record<string, unknown>> {
  const folder = nearestWith('package.json', cwd)
  const manifest = folder === undefined ? null : readJson(join(folder, 'package.json'))
  return { ...manifest?.['dependencies'], ...manifest?.['devDependencies'] }
}

/** The major version of the package that contains a module. */
function versionOf(module: string): number | null {
  const folder = nearestWith('package.json', dirname(module))
  const manifest = folder === undefined ? null : readJson(join(folder, 'package.json'))
  const major = Number.parseInt(String(manifest?.['version']), 10)
  return Number.isNaN(major) ? null : major
}

function readJson(path: string): Record<string, Record<string, unknown>> | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return null
  }
}
