import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { builtPackage } from '../cli/built-package.js'
import { type Block, root } from './markdown.js'

/** Inside the repository, so that snippets find the packages they import; ignored by git. */
export const FOLDER: string = join(root, '.cache', 'snippets')

export type Dialect = 'standard' | 'legacy'

/** Writes a `tsconfig.json` for snippets that import the package by name, and answers with its path. */
export function writeConfig(
  folder: string,
  dialect: Dialect,
  paths: Record<string, string[]>,
): string {
  const compilerOptions = {
    target: 'es2022',
    // What the package's own sources are compiled with.
    lib: ['es2023', 'esnext.disposable', 'esnext.decorators'],
    module: 'nodenext',
    moduleDetection: 'force',
    strict: true,
    experimentalDecorators: dialect === 'legacy',
    skipLibCheck: true,
    noEmit: true,
    types: ['node'],
    paths,
  }
  return write(join(FOLDER, folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
}

/** Where the compiler finds the package by its names: in its source. */
function pathsOfPackage(): Record<string, string[]> {
  return {
    blazon: [join(root, 'src/index.ts')],
    'blazon/testing': [join(root, 'src/testing/index.ts')],
    'blazon/plugin': [join(root, 'src/plugin/index.ts')],
    'blazon/otel': [join(root, 'src/integrations/otel/index.ts')],
    'blazon/postgres': [join(root, 'src/integrations/postgres/index.ts')],
    'blazon/keys': [join(root, 'src/integrations/api-keys/index.ts')],
    'blazon/jwt': [join(root, 'src/integrations/jwt/index.ts')],
    'blazon/redis': [join(root, 'src/integrations/redis/index.ts')],
    'blazon/sessions': [join(root, 'src/integrations/sessions/index.ts')],
    'blazon/jobs': [join(root, 'src/integrations/jobs/index.ts')],
    'blazon/typeorm': [join(root, 'src/integrations/typeorm/index.ts')],
    'blazon/vite': [join(root, 'src/integrations/vite/index.ts')],
  }
}

/** The same in the built package, which a process loads in a tenth of the time, and its declarations, which a compiler reads so. */
export function pathsOfBuild(extension: '.js' | '.d.ts' = '.js'): Record<string, string[]> {
  const dist = join(builtPackage(), 'dist')
  return Object.fromEntries(
    Object.entries(pathsOfPackage()).map(([name, [path = '']]) => [
      name,
      [join(dist, relative(join(root, 'src'), path).replace(/\.ts$/, extension))],
    ]),
  )
}

/** Empties a folder of snippets. */
export function clear(folder: string): void {
  rmSync(join(FOLDER, folder), { recursive: true, force: true })
}

/**
 * Writes a block as a module. A first line `// app.ts` names it, so that other blocks of the document can
 * import it; else it is named after its line.
 */
export function writeBlock(folder: string, { document, line, hidden, text }: Block): string {
  const name = /^\/\/ (\S+\.ts)\n/.exec(text)?.[1] ?? `line-${line}.ts`
  return write(join(FOLDER, folder, document, name), hidden + text)
}

function write(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

/** Runs a TypeScript file with decorators lowered and the package taken from its source. */
export function runTypeScript(
  file: string,
  options: {
    config: string
    env?: Record<string, string>
    flags?: readonly string[]
    /** Modules that it imports first. */
    imports?: readonly string[]
    args?: readonly string[]
  },
): ChildProcess {
  const { flags = [], imports = [], args = [] } = options
  return spawn(
    process.execPath,
    [...flags, ...['tsx', ...imports].flatMap((name) => ['--import', name]), file, ...args],
    {
      cwd: root,
      env: { ...process.env, ...options.env, TSX_TSCONFIG_PATH: options.config, NODE_OPTIONS: '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
}

/** Waits for the end of a program; answers with all it wrote. */
export async function outputOf(child: ChildProcess): Promise<string> {
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk
    })
  }
  await once(child, 'close')
  return output
}
