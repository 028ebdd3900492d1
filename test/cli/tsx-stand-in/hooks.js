// Hooks for modules that compile TypeScript as tsx does, with esbuild, and leave everything else to Node.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Ignored by git. */
const CACHE = fileURLToPath(new URL('../../../.cache/esbuild/', import.meta.url))

const tsconfig = process.env.TSX_TSCONFIG_PATH ?? 'tsconfig.json'
const experimentalDecorators =
  existsSync(tsconfig) && /"experimentalDecorators": ?true/.test(readFileSync(tsconfig, 'utf8'))

/** For Node without `registerHooks`, which calls hooks in another thread. */
export async function resolve(specifier, context, next) {
  try {
    return await next(specifier, context)
  } catch (error) {
    return await next(sourceOf(specifier, error), context)
  }
}

export async function load(url, context, next) {
  return loadSync(url, context, next)
}

export function resolveSync(specifier, context, next) {
  try {
    return next(specifier, context)
  } catch (error) {
    return next(sourceOf(specifier, error), context)
  }
}

export function loadSync(url, context, next) {
  if (!/\.ts(?:\?|$)/.test(url)) return next(url, context)
  return { format: 'module', source: compiled(fileURLToPath(url)), shortCircuit: true }
}

/** The TypeScript file of a module that does not exist as JavaScript. */
function sourceOf(specifier, error) {
  if (!/^(?:\.|file:).*\.js$/.test(specifier)) throw error
  return specifier.replace(/js$/, 'ts')
}

function compiled(file) {
  const text = readFileSync(file, 'utf8')
  const sourcefile = basename(file)
  const key = [sourcefile, text, experimentalDecorators].join('\n')
  const path = CACHE + createHash('sha256').update(key).digest('hex')
  if (existsSync(path)) return readFileSync(path, 'utf8')
  const { transformSync } = createRequire(import.meta.url)('esbuild')
  const { code } = transformSync(text, {
    loader: 'ts',
    sourcefile,
    sourcemap: 'inline',
    target: 'es2022',
    tsconfigRaw: { compilerOptions: { experimentalDecorators, target: 'es2022' } },
  })
  mkdirSync(CACHE, { recursive: true })
  writeFileSync(`${path}.${process.pid}`, code)
  renameSync(`${path}.${process.pid}`, path)
  return code
}
