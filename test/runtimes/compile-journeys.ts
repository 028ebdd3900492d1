import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { root } from '../root.js'

export type Dialect = 'standard' | 'legacy'

/** The folders whose code the journeys use, with the files that it reads. */
const FOLDERS = ['src', 'test']
/** Packages of their own, and files that only other tests read. */
const LEFT_OUT = /^test\/(openapi-tools|package|prisma|runners|scaffold|mutants|types|browser)\//

/**
 * Compiles the sources and the tests of one dialect into a folder of their own, file by file, and returns the folder. It is a
 * package with the name and the doors of this one, so that tests import it by its name. The doors are modules of `src/`, because
 * some tests import modules of `src/` too.
 */
export async function compileJourneys(dialect: Dialect): Promise<string> {
  // In no folder with a dot: `res.sendFile` refuses files below one.
  const out = join(root, 'tmp/runtimes', dialect)
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  const files = FOLDERS.flatMap(filesIn).filter((path) => isOf(dialect, path))
  const isCode = (path: string) => path.endsWith('.ts')
  const compilerOptions = { experimentalDecorators: dialect === 'legacy', target: 'es2022' }
  await build({
    absWorkingDir: root,
    entryPoints: files.filter((path) => isCode(path) && !path.endsWith('.d.ts')),
    outdir: out,
    outbase: root,
    format: 'esm',
    platform: 'node',
    target: 'es2022',
    tsconfigRaw: { compilerOptions },
    logLevel: 'error',
  })
  for (const path of files.filter((each) => !isCode(each))) {
    mkdirSync(dirname(join(out, path)), { recursive: true })
    cpSync(join(root, path), join(out, path))
  }
  writeManifest(out)
  symlinkSync(join(root, 'node_modules'), join(out, 'node_modules'), 'dir')
  mkdirSync(join(out, 'scripts'))
  const stamp = pathToFileURL(join(root, 'scripts/build-stamp.mjs'))
  writeFileSync(join(out, 'scripts/build-stamp.mjs'), `export * from '${stamp}'\n`)
  // The folder of the repository, and not that of the copy: tests look there for `dist` and for programs.
  writeFileSync(join(out, 'test/root.js'), `export const root = ${JSON.stringify(root)}\n`)
  return out
}

/** The journeys of a dialect, relative to the root. */
export function journeysOf(dialect: Dialect): string[] {
  return filesIn('test/journeys').filter((path) => path.endsWith('.test.ts') && isOf(dialect, path))
}

/** Some files use what only the legacy dialect has: decorators of parameters. */
function isOf(dialect: Dialect, path: string): boolean {
  return dialect === 'legacy' || !path.endsWith('.legacy.test.ts')
}

function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
    .filter((path) => !LEFT_OUT.test(path) && !path.includes('node_modules'))
    .sort()
}

interface DoorEntry {
  readonly import: { readonly default: string }
}

/** Writes the manifest of this package, with doors that are modules of `src/`. */
function writeManifest(out: string): void {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const entries = Object.entries(manifest.exports as Record<string, string | DoorEntry>)
  const doors = entries.map(([door, entry]) => {
    const path = typeof entry === 'string' ? entry : entry.import.default
    return [door, path.replace('./dist/', './src/')]
  })
  const text = JSON.stringify({ ...manifest, exports: Object.fromEntries(doors) })
  writeFileSync(join(out, 'package.json'), text)
}
