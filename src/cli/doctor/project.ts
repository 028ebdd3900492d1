import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { CliError } from '../cli-error.js'
import { type Entry, findEntry, NoEntryError } from '../load/find-entry.js'
import { loadConfig } from '../load/load-app.js'
import { isOutside, nearestWith } from '../output-path.js'
import type { DoctorOptions } from './doctor-options.js'
import { findInstalled, type Installed, readInstalled } from './installed.js'
import { isRecord, type JsonText, readJson } from './json-text.js'
import { commandsOf, type ScriptCommand } from './scripts.js'
import { readSources, type Source } from './sources.js'

/** What the checks know of a project. */
export interface Project {
  readonly cwd: string
  /** The folder of the nearest `package.json`, else the one where the command runs. */
  readonly root: string
  /** The nearest `package.json`; `null` without one. */
  readonly manifest: JsonText | null
  readonly commands: readonly ScriptCommand[]
  /** The module that declares the application; why there is none. */
  readonly entry: Entry | CliError
  /** The `tsconfig.json` of the entry. It need not exist. */
  readonly tsconfig: string
  /** The code in the folder of the `tsconfig.json`: first the entry, then the files beside it. */
  readonly sources: readonly Source[]
  /** The copy of this package that the project uses; `null` if it is not installed. */
  readonly own: Installed | null
  /** The variables of `.env`. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * Looks at a project. Runs none of its code but a configuration module, in a process of its own.
 *
 * @throws CliError when `--entry` names no file.
 */
export async function readProject(options: DoctorOptions): Promise<Project> {
  const { cwd } = options
  const root = nearestWith('package.json', cwd) ?? resolve(cwd)
  const manifest = manifestOf(join(root, 'package.json'))
  const entry = await entryOf(options)
  const from = entry instanceof CliError ? resolve(cwd) : dirname(entry.path)
  const folder = nearestWith('tsconfig.json', from) ?? root
  return {
    cwd,
    root,
    manifest,
    commands: manifest === null ? [] : commandsOf(manifest),
    entry,
    tsconfig: join(folder, 'tsconfig.json'),
    sources: nearestFirst(readSources(folder), entry),
    own: manifest?.value['name'] === 'blazon' ? readInstalled(root) : findInstalled('blazon', root),
    env: envOf(join(cwd, '.env')),
  }
}

/** Other files may have the same options and names of classes. */
function nearestFirst(sources: readonly Source[], entry: Entry | CliError): Source[] {
  if (entry instanceof CliError) return [...sources]
  const distance = ({ file }: Source) => {
    if (file === entry.path) return 0
    return isOutside(file, dirname(entry.path)) ? 2 : 1
  }
  return [...sources].sort((a, b) => distance(a) - distance(b))
}

/** A `package.json` that is wrong is reported by the package manager. */
function manifestOf(file: string): JsonText | null {
  try {
    return readJson(file)
  } catch {
    return null
  }
}

async function entryOf(options: DoctorOptions): Promise<Entry | CliError> {
  const { entry, cwd } = options
  try {
    const load = (path: string) => loadConfig(path, options)
    return await findEntry(entry, { cwd, loadConfig: load })
  } catch (error) {
    // What the user has written in the command line is a wrong use of it.
    if (entry === undefined && error instanceof CliError) return error
    throw error
  }
}

/** Whether a project has no application, in contrast to one whose configuration is wrong. */
export function hasNoEntry({ entry }: Project): boolean {
  return entry instanceof NoEntryError
}

/** The packages that the project lists itself. */
export function listedPackages({ manifest }: Project): Set<string> {
  const fields = ['dependencies', 'devDependencies', 'optionalDependencies']
  return new Set(
    fields.flatMap((field) => {
      const list = manifest?.value[field]
      return isRecord(list) ? Object.keys(list) : []
    }),
  )
}

function envOf(file: string): Project['env'] {
  if (!existsSync(file)) return {}
  try {
    return parseEnv(readFileSync(file, 'utf8'))
  } catch {
    return {}
  }
}
