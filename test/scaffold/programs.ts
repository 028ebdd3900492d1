import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { root } from '../root.js'

/** The versions of Node on which a project has to work. */
export const NODES = [20, 22, 24, 26] as const
export type NodeMajor = (typeof NODES)[number]

/** Package managers. Version 10 of pnpm is the last one that decides nothing about install scripts, 12 the newest. */
export const MANAGERS = ['npm', 'pnpm', 'pnpm-10', 'yarn'] as const
export type Manager = (typeof MANAGERS)[number]

/** The folder in which `.ci/run` installs them. */
const FETCHED = join(root, '.ci/.cache/node_modules')

/** npm comes with Node. */
const PACKAGES = { npm: null, pnpm: 'pnpm', 'pnpm-10': 'pnpm-10', yarn: '@yarnpkg/cli-dist' }

/** What a project names the manager. */
export function nameOf(manager: Manager): 'npm' | 'pnpm' | 'yarn' {
  return manager === 'pnpm-10' ? 'pnpm' : manager
}

/** The path of a Node of exactly this version; `null` if it is missing. */
export function nodeOf(major: NodeMajor): string | null {
  if (Number(process.versions.node.split('.')[0]) === major) return process.execPath
  const binary = join(FETCHED, `node-${major}/bin/node`)
  return existsSync(binary) ? binary : null
}

/**
 * A new folder with nothing but the package manager, for the front of the path; `null` if it is missing. Several versions
 * of one manager have the same name, so each needs a folder of its own.
 */
export function folderOf(manager: Manager): string | null {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'blazon-programs-')))
  const name = PACKAGES[manager]
  if (name === null) return folder
  const manifest = join(FETCHED, name, 'package.json')
  if (!existsSync(manifest)) return null
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8'))
  mkdirSync(folder, { recursive: true })
  symlinkSync(join(dirname(manifest), bin[nameOf(manager)]), join(folder, nameOf(manager)))
  return folder
}
