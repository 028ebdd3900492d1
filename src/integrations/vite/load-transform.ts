import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { refuseOldPeer } from '../../errors/peer-floor.js'
import { ConfigError } from '../../index.js'

/** A source map as bundlers pass it on. */
export interface SourceMap {
  readonly version: number
  readonly mappings: string
  names: string[]
  sources: string[]
  sourcesContent?: string[]
}

/** Lowers a module. Its dialect is that of the nearest `tsconfig.json`, which Vite finds. */
export type Transform = (code: string, id: string) => Promise<{ code: string; map: SourceMap }>

/** What of Vite is used: the one function that reads a file's `tsconfig.json` and hands it to esbuild. */
interface Vite {
  readonly transformWithEsbuild?: (
    code: string,
    id: string,
    options: object,
    ...rest: [inMap: undefined, config: undefined, watcher: undefined, isSilent: boolean]
  ) => Promise<{ code: string; map: SourceMap }>
}

// The decorators alone, so that the rest stays Vite's: its targets, its JSX.
const OPTIONS = { target: 'esnext', supported: { decorators: false }, jsx: 'preserve' } as const

/**
 * The compiler of the project whose folder is `root`.
 *
 * @throws ConfigError when a package that it takes is missing, or is too old.
 */
export async function loadTransform(root: string): Promise<Transform> {
  const project = join(root, 'package.json')
  const own = resolve('vite', project)
  const file = own ?? resolve('vite', import.meta.url)
  if (file === null) throw missing('vite')
  const subject = 'blazon/vite'
  refuseOldPeer('vite', { subject, origin: own === null ? import.meta.url : project })
  // Vite 8 loads esbuild as its peer.
  if (resolve('esbuild', file) === null) throw missing('esbuild')
  refuseOldPeer('esbuild', { subject, origin: file })
  const { transformWithEsbuild: transform }: Vite = await import(pathToFileURL(file).href)
  if (transform === undefined) throw missing('a vite with transformWithEsbuild', 'vite@8')
  // Vite 8 says of this function that it will go one day; that is for us to know, and not for every run.
  return (code, id) => transform(code, id, OPTIONS, undefined, undefined, undefined, true)
}

/** The main file of a package as a file sees it; `null` where it is not installed. */
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
