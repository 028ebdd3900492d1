import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { CliError } from '../cli-error.js'
import { nearestWith } from '../output-path.js'
import { messageOf } from '../texts.js'

const CONFIG_FILES = [
  'blazon.config.json',
  'blazon.config.js',
  'blazon.config.mjs',
  'blazon.config.ts',
]
const NAMES: readonly string[] = ['app', 'main', 'index']
const EXTENSIONS = ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs']

interface CliConfig {
  readonly entry?: string
}

/** The module that creates the application, and how it was found. */
export interface Entry {
  /** An absolute path. */
  readonly path: string
  /** The source of the path: `--entry`, `package.json`, the name of a configuration file, or `convention`. */
  readonly source: string
}

/** Loads a configuration file that is a module. */
type LoadConfig = (path: string) => Promise<unknown>

/**
 * The error for a project without an application: no application is configured, and no module has a conventional name.
 */
export class NoEntryError extends CliError {}

/** The options of {@link findEntry}. */
export interface Search {
  readonly cwd: string
  readonly loadConfig: LoadConfig
  /** The names of conventional modules, in order of preference. Default: `app`, `main`, `index`. */
  readonly names?: readonly string[]
}

/**
 * Finds the module that creates the application: from `--entry`, otherwise from the configuration, otherwise at a
 * conventional path such as `src/app.ts`.
 *
 * @throws CliError if there is no such module.
 */
export async function findEntry(
  option: string | undefined,
  { cwd, loadConfig, names = NAMES }: Search,
): Promise<Entry> {
  if (option !== undefined) return existing(resolve(cwd, option), '--entry')
  const root = nearestWith('package.json', cwd) ?? cwd
  for (const folder of new Set([cwd, root])) {
    const entry =
      (await fromConfigFile(folder, loadConfig)) ??
      fromManifest(folder) ??
      byConvention(folder, names)
    if (entry !== undefined) return entry
  }
  throw new NoEntryError({
    status: 2,
    what: 'No application was found.',
    cause: `There is neither a configuration nor ${names.map((name) => `src/${name}.ts`).join(', ')} in ${cwd}.`,
    remedy:
      'Specify the module that creates the application: `--entry src/server.ts`, or "blazon": { "entry": "src/server.ts" } in package.json.',
  })
}

async function fromConfigFile(folder: string, load: LoadConfig): Promise<Entry | undefined> {
  const name = CONFIG_FILES.find((file) => existsSync(join(folder, file)))
  if (name === undefined) return undefined
  const path = join(folder, name)
  const config = name.endsWith('.json') ? readJson(path) : await load(path)
  return fromConfig(config, path, name)
}

function fromManifest(folder: string): Entry | undefined {
  const path = join(folder, 'package.json')
  if (!existsSync(path)) return undefined
  const config = (readJson(path) as { blazon?: unknown } | null)?.blazon
  return config === undefined ? undefined : fromConfig(config, path, 'package.json')
}

function fromConfig(config: unknown, path: string, source: string): Entry {
  const entry = typeof config === 'string' ? config : (config as CliConfig | null)?.entry
  if (typeof entry === 'string') return existing(resolve(dirname(path), entry), source)
  throw new CliError({
    status: 2,
    what: `${path} specifies no entry.`,
    cause: 'Its field "entry" is not a string.',
    remedy: 'Write { "entry": "src/app.ts" }.',
  })
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''))
  } catch (error) {
    throw new CliError({
      status: 2,
      what: `${path} cannot be read.`,
      cause: messageOf(error),
      remedy: 'Correct its JSON syntax.',
    })
  }
}

function byConvention(folder: string, names: readonly string[]): Entry | undefined {
  const candidates = ['src', ''].flatMap((place) =>
    names.flatMap((name) =>
      EXTENSIONS.map((extension) => join(folder, place, `${name}.${extension}`)),
    ),
  )
  const path = candidates.find((candidate) => isFile(candidate))
  return path === undefined ? undefined : { path, source: 'convention' }
}

function existing(path: string, source: string): Entry {
  if (isFile(path)) return { path, source }
  throw new CliError({
    status: 2,
    what: `There is no file at ${path}.`,
    cause: existsSync(path) ? 'It is a folder.' : `${source} specifies this path.`,
    remedy: 'Specify the module that creates the application, with its extension.',
  })
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}
