import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ConfigError } from '../../index.js'
import { refuseOldPeer } from '../../plugin/index.js'

/**
 * The members of a Vite plugin that this plugin uses. They are declared here so that Blazon's types do not depend on
 * Vite's types.
 */
export interface VitePlugin {
  /** The name of the plugin in Vite's messages. */
  readonly name: string
  /** Runs the plugin before Vite's own plugins. */
  readonly enforce: 'pre'
  /** Vite calls this once with the resolved configuration. */
  readonly configResolved: (config: { readonly root: string }) => void
  /** Vite calls this for every module. */
  readonly transform: {
    /** Selects the modules that need the handler. */
    readonly filter: {
      /** Patterns for the path of a module. */
      readonly id: {
        /** Matches scripts. */
        readonly include: RegExp
        /** Matches files of installed packages. */
        readonly exclude: RegExp
      }
      /** A string that the module must contain. */
      readonly code: string
    }
    /** Compiles a module. Returns `null` to leave the module unchanged for Vite. */
    readonly handler: (code: string, id: string) => Promise<Lowered | null>
  }
}

/** A module whose decorators were compiled. */
export interface Lowered {
  readonly code: string
  readonly map: SourceMap
}

const SCRIPT = /\.[cm]?[jt]sx?(?:\?|$)/
const PACKAGE = /[\\/]node_modules[\\/]/
/**
 * A fast test for decorators: `@name` or `@(`, but not in the lines of a documentation comment. It can also match
 * modules without decorators, which esbuild then leaves alone.
 */
const MAYBE_DECORATOR = /^(?![^\S\n]*\*(?!\/|.*(?:\*\/|`))).*@\s*[\p{ID_Start}$_(]/mu
/** The name of a helper that esbuild inserts into a module only if it has compiled standard decorators there. */
const LOWERED = '__decoratorStart'

/**
 * Creates a plugin for Vite and Vitest that compiles standard decorators. Vite 8 leaves decorators in its output
 * without a warning, and Node then fails with `SyntaxError: Invalid or unexpected token`. Vite itself still compiles
 * files without decorators, installed packages, and projects with `experimentalDecorators` in their `tsconfig.json`.
 * With Vite 8, the package `esbuild` must be installed; earlier versions include it.
 *
 * @throws ConfigError at the first file with decorators, if `vite` or `esbuild` is not installed or too old.
 * @example
 * // vitest.config.ts
 * import { blazon } from 'blazon/vite'
 * import { defineConfig } from 'vitest/config'
 *
 * export default defineConfig({ plugins: [blazon()] })
 */
export function blazon(): VitePlugin {
  let root = process.cwd()
  let transform: Promise<Transform> | undefined
  return {
    name: 'blazon',
    // The plugin must run first, because Vite's own compiler drops decorated fields without an initializer if the
    // tsconfig's target is below ES2022 (seen in 8.3).
    enforce: 'pre',
    configResolved(config) {
      root = config.root
    },
    transform: {
      // Vite 8 applies these filters before it calls the handler; earlier versions call the handler for every module.
      filter: { id: { include: SCRIPT, exclude: PACKAGE }, code: '@' },
      async handler(code, id) {
        if (!mayHaveDecorators(code, id)) return null
        transform ??= loadTransform(root)
        const lowered = await (await transform)(code, id)
        return lowered.code.includes(LOWERED) ? lowered : null
      },
    },
  }
}

function mayHaveDecorators(code: string, id: string): boolean {
  const isOurs = SCRIPT.test(id) && !PACKAGE.test(id) && !id.startsWith('\0')
  return isOurs && code.includes('class') && MAYBE_DECORATOR.test(code)
}

/** A source map in the form that bundlers exchange. */
interface SourceMap {
  readonly version: number
  readonly mappings: string
  names: string[]
  sources: string[]
  sourcesContent?: string[]
}

/**
 * Compiles a module. The closest `tsconfig.json` above the module, which Vite finds, determines the decorator dialect.
 */
type Transform = (code: string, id: string) => Promise<{ code: string; map: SourceMap }>

/** The only Vite function that this module uses. It reads the `tsconfig.json` of a file and calls esbuild. */
interface Vite {
  readonly transformWithEsbuild?: (
    code: string,
    id: string,
    options: object,
    ...rest: [inMap: undefined, config: undefined, watcher: undefined, isSilent: boolean]
  ) => Promise<{ code: string; map: SourceMap }>
}

// Only decorators are compiled. Vite compiles everything else with its own targets and JSX settings.
const OPTIONS = { target: 'esnext', supported: { decorators: false }, jsx: 'preserve' } as const

/**
 * Returns the compiler for the project in the folder `root`.
 *
 * @throws ConfigError if a required package is missing or too old.
 */
async function loadTransform(root: string): Promise<Transform> {
  const project = join(root, 'package.json')
  const own = resolve('vite', project)
  const file = own ?? resolve('vite', import.meta.url)
  if (file === null) throw missing('vite')
  const subject = 'blazon/vite'
  refuseOldPeer('vite', { subject, origin: own === null ? import.meta.url : project })
  // In Vite 8, esbuild is a peer dependency.
  if (resolve('esbuild', file) === null) throw missing('esbuild')
  refuseOldPeer('esbuild', { subject, origin: file })
  const { transformWithEsbuild: transform }: Vite = await import(pathToFileURL(file).href)
  if (transform === undefined)
    throw missing('a version of vite with transformWithEsbuild', 'vite@8')
  // The last argument suppresses Vite 8's notice that this function is deprecated, because users of this plugin cannot
  // act on it.
  return (code, id) => transform(code, id, OPTIONS, undefined, undefined, undefined, true)
}

/** Returns the main file of a package, resolved from a file; `null` if the package is not installed. */
function resolve(name: string, from: string): string | null {
  try {
    return createRequire(from).resolve(name)
  } catch {
    return null
  }
}

function missing(what: string, install: string = what): ConfigError {
  return new ConfigError([
    {
      code: 'E_PEER_MISSING',
      subject: 'blazon/vite',
      cause: `It compiles decorators with Vite's esbuild, but ${what} is not installed.`,
      remedy: `npm install --save-dev ${install}`,
    },
  ])
}
