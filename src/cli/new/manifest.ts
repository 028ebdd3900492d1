import { existsSync, readFileSync, statSync } from 'node:fs'
import { isAbsolute, join, relative, resolve } from 'node:path'
import { CliError } from '../cli-error.js'
import type { ProjectFacts, Template } from './new-options.js'
import { JOBS_NODE } from './read-template.js'

/** The versions of packages that are not in the `devDependencies` of this package. */
const VERSIONS: Readonly<Record<string, string>> = { esbuild: '^0.28.2' }

const PACKAGES: Readonly<Record<Template, readonly string[]>> = {
  minimal: [],
  service: ['jose', 'zod'],
  saas: ['jose', 'pg', 'redis', 'zod'],
}

/**
 * Packages for a project with a job. pg-boss imports `@opentelemetry/api`, which Yarn does not install automatically.
 */
const PACKAGES_OF_JOBS = ['@opentelemetry/api', 'pg-boss']

/** Packages that are needed only for development and tests. */
const TEMPLATE_TOOLS: Readonly<Partial<Record<Template, readonly string[]>>> = {
  saas: ['@electric-sql/pglite', 'fast-check'],
}

const TOOLS = ['@types/node', '@types/supertest', 'supertest', 'tsx', 'typescript']

/**
 * The tools for each test runner. Vite 8 leaves decorators in its output, so esbuild compiles them; see
 * vitest.config.ts.
 */
const RUNNER_TOOLS = { vitest: ['esbuild', 'vitest'], node: [] } as const

const TESTS = {
  vitest: 'vitest run',
  // The shell expands the pattern to file names, because Node 20 does not.
  node: 'node --import tsx --test test/*.test.ts',
} as const

/** Settings that only one package manager needs. pnpm has its own file; see `SETTINGS` in `read-template.ts`. */
const MANAGER_FIELDS = {
  // Whether packages' install scripts run. For unlisted packages, npm 11 prompts, and npm 12 runs no scripts. esbuild
  // works without its install script.
  npm: { allowScripts: { esbuild: false } },
  pnpm: {},
  // Without this field, corepack runs Yarn 1.
  yarn: { packageManager: 'yarn@4.18.1', dependenciesMeta: { esbuild: { built: false } } },
} as const

/** Returns the content of `package.json`. */
export function manifestOf(facts: ProjectFacts, own: PackageManifest): string {
  const { name, pm, source, template, test, jobs } = facts
  const versions = (names: readonly string[]) =>
    Object.fromEntries([...names].sort().map((each) => [each, versionOf(each, own)]))
  const manifest = {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    engines: jobs ? { node: `>=${JOBS_NODE.join('.')}.0` } : own.engines,
    ...MANAGER_FIELDS[pm],
    scripts: {
      dev: 'blazon dev',
      build: 'tsc -p tsconfig.build.json',
      start: 'node --enable-source-maps dist/main.js',
      test: TESTS[test],
      check: 'tsc && blazon openapi export --check',
      openapi: 'blazon openapi export',
    },
    dependencies: {
      blazon: source,
      ...versions([...PACKAGES[template], ...(jobs ? PACKAGES_OF_JOBS : [])]),
    },
    devDependencies: versions([
      ...TOOLS,
      ...(TEMPLATE_TOOLS[template] ?? []),
      ...RUNNER_TOOLS[test],
    ]),
  }
  return `${JSON.stringify(manifest, null, 2)}\n`
}

function versionOf(name: string, { devDependencies }: PackageManifest): string {
  const version = VERSIONS[name] ?? devDependencies[name]
  if (version !== undefined) return version
  throw new CliError({ status: 1, what: `The template needs ${name}, whose version is unknown.` })
}

/** The fields of this package's manifest that a project uses. */
interface PackageManifest {
  readonly version: string
  readonly engines: { readonly node: string }
  /** The versions that this package's tests use. A new project uses the same versions. */
  readonly devDependencies: Readonly<Record<string, string>>
}

/** Returns the manifest of the package whose command is running. */
export function packageManifest(): PackageManifest {
  return JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))
}

/** Matches a version, a version range, or a tag. */
const VERSION = /^(?:[~^]?\d+\.\d+\.\d+(?:-[\w.-]+)?|[a-z][a-z0-9-]*)$/

/** The folders that paths are relative to. */
interface Places {
  /** The folder of the command. */
  readonly cwd: string
  /** The folder of the project. */
  readonly folder: string
}

/**
 * Returns the entry for blazon in the project's `package.json`.
 *
 * @param given A version, or the path of a tarball or folder.
 * @param fallback The range to use if nothing is given.
 * @throws CliError if the path does not lead to this package.
 */
export function packageSource(
  given: string | undefined,
  fallback: string,
  { cwd, folder }: Places,
): string {
  if (given === undefined) return fallback
  if (VERSION.test(given)) return given
  const path = resolve(cwd, given)
  if (!isPackage(path)) {
    throw new CliError({
      status: 2,
      what: `--package ${JSON.stringify(given)} does not specify a source of blazon.`,
      cause: existsSync(path)
        ? `${path} is neither a tarball (.tgz) nor a folder with the package blazon.`
        : `It is not a version, and there is no ${path}.`,
      remedy: 'Specify a version, a tarball or a folder: --package ../blazon-0.1.0.tgz',
    })
  }
  // A relative path stays valid if both folders move together.
  const way = isAbsolute(given) ? path : relative(folder, path)
  return `file:${way.replaceAll('\\', '/')}`
}

function isPackage(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats?.isFile()) return path.endsWith('.tgz')
  return stats?.isDirectory() === true && nameIn(path) === 'blazon'
}

function nameIn(folder: string): unknown {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).name
  } catch {
    return undefined
  }
}
