import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ConfigError } from '../../index.js'
import { refuseOldPeer } from '../../plugin/index.js'

/** A source map in the form that bundlers exchange. */
export interface SourceMap {
  readonly version: number
  readonly mappings: string
  names: string[]
  sources: string[]
  sourcesContent?: string[]
}

/** Compiles a module. The nearest `tsconfig.json`, which Vite finds, chooses the decorator dialect. */
export type Transform = (code: string, id: string) => Promise<{ code: string; map: SourceMap }>

/** The one function of Vite that is used: it reads the `tsconfig.json` of a file and calls esbuild. */
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
 * The compiler of the project in the folder `root`.
 *
 * @throws ConfigError when a required package is missing or too old.
 */
export async function loadTransform(root: string): Promise<Transform> {
  const project = join(root, 'package.json')
  const own = resolve('vite', project)
  const file = own ?? resolve('vite', import.meta.url)
  if (file === null) throw missing('vite')
  const subject = 'blazon/vite'
  refuseOldPeer('vite', { subject, origin: own === null ? import.meta.url : project })
  // Vite 8 loads esbuild as a peer dependency.
  if (resolve('esbuild', file) === null) throw missing('esbuild')
  refuseOldPeer('esbuild', { subject, origin: file })
  const { transformWithEsbuild: transform }: Vite = await import(pathToFileURL(file).href)
  if (transform === undefined) throw missing('a vite with transformWithEsbuild', 'vite@8')
  // The last argument silences Vite 8's notice that this function is deprecated: users of this plugin cannot
  // act on it.
  return (code, id) => transform(code, id, OPTIONS, undefined, undefined, undefined, true)
}

/** The main file of a package, resolved from a file; `null` when it is not installed. */
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
      cause: `It lowers decorators with Vite's esbuild, and ${what} is not installed.`,
      remedy: `npm install --save-dev ${install}`,
    },
  ])
}
