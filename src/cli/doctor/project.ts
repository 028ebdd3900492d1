import { type Dirent, existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { CliError } from '../cli-error.js'
import { findInstalled, type Installed, readInstalled } from '../installed.js'
import { type Entry, findEntry } from '../load/find-entry.js'
import { type LoadOptions, loadConfig } from '../load/load-app.js'
import { nearestWith } from '../output-path.js'
import type { SourcePlace } from './finding.js'

/** Options of `doctor`. */
export interface DoctorOptions extends LoadOptions {
  readonly json?: boolean
  /** Whether warnings also count as failures. */
  readonly strict?: boolean
  /** The database to examine. Default: `DATABASE_URL`. */
  readonly url?: string
  readonly tenantRole?: string
  readonly allTenantsRole?: string
}

/** Information about a project that the checks use. */
export interface Project {
  readonly cwd: string
  /**
   * The folder of the closest `package.json` upwards from the command's working directory, or else that directory
   * itself.
   */
  readonly root: string
  /** The packages that the project itself lists. */
  readonly listed: ReadonlySet<string>
  /** The module that declares the application, or the reason why none was found. */
  readonly entry: Entry | CliError
  /** The code in the entry's folder, or otherwise in the project. */
  readonly sources: readonly Source[]
  /** The copy of this package that the project uses; `null` if it is not installed. */
  readonly own: Installed | null
  /** The variables in `.env`. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * Examines a project. Runs only its configuration module, in a separate process.
 *
 * @throws CliError if `--entry` is not a file.
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
    // An invalid entry on the command line is a usage error.
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

/** A code file of the project. */
interface Source {
  readonly file: string
  readonly text: string
}

const CODE = /(?<!\.d)\.[cm]?[jt]s$/
/** Matches folders that do not contain the project's own code. */
const OTHERS = /^(?:\..*|node_modules|dist|build|out|coverage)$/

/** Reads the code in a folder and its subfolders, except build output, other packages, and unreadable folders. */
function readSources(folder: string): Source[] {
  return entriesOf(folder).flatMap((entry) => {
    const file = join(folder, entry.name)
    if (entry.isFile() && CODE.test(entry.name)) return [{ file, text: readFileSync(file, 'utf8') }]
    const isOwn = entry.isDirectory() && !OTHERS.test(entry.name)
    return isOwn && !existsSync(join(file, 'package.json')) ? readSources(file) : []
  })
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

/** Finds the first import of one of this package's entry points. Type-only imports are ignored. */
export function findImport(sources: readonly Source[], door: string): SourcePlace | null {
  const name = new RegExp(`^(?!\\s*(?:import|export) type\\b).*['"]blazon/${door}['"]`, 'm')
  for (const { file, text } of sources) {
    const found = name.exec(text)
    if (found !== null) return { file, line: text.slice(0, found.index).split('\n').length }
  }
  return null
}
