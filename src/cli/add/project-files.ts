import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { CliError } from '../cli-error.js'
import { followLinks, isOutside, nearestWith } from '../output-path.js'
import { readText } from '../write-files.js'
import { maskCode } from './mask-code.js'

/** A file of TypeScript. */
export interface ProjectFile {
  /** From the root of the package, with forward slashes. */
  readonly path: string
  readonly text: string
  /** The text masked by `maskCode`. */
  readonly mask: string
}

/** A package, as far as the command reads it. */
export interface Project {
  /** The folder of `package.json`, without links. */
  readonly root: string
  readonly manifest: Readonly<Record<string, unknown>>
  /** The code, without tests. */
  readonly sources: readonly ProjectFile[]
  readonly tests: readonly ProjectFile[]
}

/** Folders with files that a program has written. */
const SKIPPED = ['node_modules', 'dist', 'build', 'out', 'coverage']
const TEST = /(?:^|\/)(?:tests?|__tests__|e2e)\/|\.(?:test|spec)\.[cm]?ts$/
/** A larger file is data, or was generated. */
const MAX_BYTES = 500_000

/**
 * Reads the nearest package upwards from a folder, without running any of its code.
 *
 * @throws CliError when there is none, or it has no TypeScript.
 */
export function readProject(cwd: string): Project {
  const folder = nearestWith('package.json', cwd)
  if (folder === undefined) throw noProject(cwd, 'There is no package.json in it or above it.')
  const root = followLinks(folder)
  const files = [...pathsIn(root, '')].sort().map((path) => {
    const text = readText(join(root, path)) ?? ''
    return { path, text, mask: maskCode(text) }
  })
  if (files.length === 0) throw noProject(root, 'It has no TypeScript.')
  return {
    root,
    manifest: readManifest(root),
    sources: files.filter(({ path }) => !TEST.test(path)),
    tests: files.filter(({ path }) => TEST.test(path)),
  }
}

/** Links are not followed, and a folder with a package of its own is another project. */
function* pathsIn(root: string, folder: string): Generator<string> {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.name.startsWith('.') || SKIPPED.includes(entry.name)) continue
    if (entry.isDirectory()) {
      if (!existsSync(join(root, path, 'package.json'))) yield* pathsIn(root, path)
    } else if (entry.isFile() && /(?<!\.d)\.[cm]?ts$/.test(path)) {
      if (statSync(join(root, path)).size <= MAX_BYTES) yield path
    }
  }
}

function readManifest(root: string): Project['manifest'] {
  try {
    const manifest: unknown = JSON.parse(readText(join(root, 'package.json')) ?? '')
    if (typeof manifest === 'object' && manifest !== null) return { ...manifest }
  } catch {}
  throw noProject(root, 'Its package.json is not JSON.')
}

function noProject(folder: string, cause: string): CliError {
  return new CliError({
    status: 2,
    what: `${folder} is not a project to which something can be added.`,
    cause,
    remedy: 'Run the command in a project with TypeScript. blazon new makes one.',
  })
}

/**
 * The path of `--dir` from the root of the project.
 *
 * @throws CliError when the folder is not in the project, also through links, or is a file.
 */
export function givenFolder(dir: string, cwd: string, { root }: Project): string {
  const target = followLinks(resolve(cwd, dir))
  const isFile = statSync(target, { throwIfNoEntry: false })?.isFile() === true
  if (!isFile && !isOutside(target, root)) return relative(root, target).replaceAll('\\', '/')
  throw new CliError({
    status: 2,
    what: `--dir ${dir} ${isFile ? 'is a file.' : 'is outside the project.'}`,
    cause: `The project is ${root}. The path leads to ${target}.`,
    remedy: 'Name a folder of the project: --dir src/orders',
  })
}

/** The folder of a path with forward slashes; empty for the root. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

/** The path of a file in a folder. */
export function inFolder(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`
}

/** How a file imports another one: `./orders.js`, without the extension if `extension` is empty. */
export function specifierOf(from: string, to: string, extension: string): string {
  const way = relative(`/${folderOf(from)}`, `/${to.replace(/\.ts$/, '')}`).replaceAll('\\', '/')
  return `${way.startsWith('.') ? '' : './'}${way}${extension}`
}
