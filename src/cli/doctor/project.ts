import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { CliError } from '../cli-error.js'
import { findInstalled, type Installed, readInstalled } from '../installed.js'
import { type Entry, findEntry } from '../load/find-entry.js'
import { loadConfig } from '../load/load-app.js'
import { nearestWith } from '../output-path.js'
import type { DoctorOptions } from './doctor-options.js'
import { readSources, type Source } from './sources.js'

/** The facts about a project that the checks use. */
export interface Project {
  readonly cwd: string
  /** The folder of the nearest `package.json`, else the one where the command runs. */
  readonly root: string
  /** The packages that the project lists itself. */
  readonly listed: ReadonlySet<string>
  /** The module that declares the application; why there is none. */
  readonly entry: Entry | CliError
  /** The code in the folder of the entry, else of the project. */
  readonly sources: readonly Source[]
  /** The copy of this package that the project uses; `null` if it is not installed. */
  readonly own: Installed | null
  /** The variables of `.env`. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * Examines a project. Runs only a configuration module of it, in a process of its own.
 *
 * @throws CliError when `--entry` names no file.
 */
export async function readProject(options: DoctorOptions): Promise<Project> {
  const { cwd } = options
  const root = nearestWith('package.json', cwd) ?? resolve(cwd)
  const project = readInstalled(root)
  const { name, dependencies, devDependencies, optionalDependencies } = project?.manifest ?? {}
  const entry = await entryOf(options)
  return {
    cwd,
    root,
    listed: new Set(Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies })),
    entry,
    sources: readSources(entry instanceof CliError ? root : dirname(entry.path)),
    own: name === 'blazon' ? project : findInstalled('blazon', root),
    env: envOf(join(cwd, '.env')),
  }
}

async function entryOf(options: DoctorOptions): Promise<Entry | CliError> {
  const { entry, cwd } = options
  try {
    const load = (path: string) => loadConfig(path, options)
    return await findEntry(entry, { cwd, loadConfig: load })
  } catch (error) {
    // An entry that the user has given in the command line is a wrong use of it.
    if (entry === undefined && error instanceof CliError) return error
    throw error
  }
}

function envOf(file: string): Project['env'] {
  try {
    return parseEnv(readFileSync(file, 'utf8'))
  } catch {
    return {}
  }
}
