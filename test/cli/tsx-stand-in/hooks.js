// Hooks for modules that compile TypeScript as tsx does, with esbuild, and leave everything else to Node.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Ignored by git. */
const CACHE = fileURLToPath(new URL('../../../.cache/esbuild/', import.meta.url))

const tsconfig = process.env.TSX_TSCONFIG_PATH ?? 'tsconfig.json'
const experimentalDecorators =
  existsSync(tsconfig) && /"experimentalDecorators": ?true/.test(readFileSync(tsconfig, 'utf8'))

export async function resolve(specifier, context, next) {
  try {
    return await next(specifier, context)
  } catch (error) {
    if (!/^(?:\.|file:).*\.js$/.test(specifier)) throw error
    return await next(specifier.replace(/js$/, 'ts'), context)
  }
}

export async function load(url, context, next) {
  if (!/\.ts(?:\?|$)/.test(url)) return await next(url, context)
  return { format: 'module', source: await compiled(fileURLToPath(url)), shortCircuit: true }
}

async function compiled(file) {
  const text = readFileSync(file, 'utf8')
  const sourcefile = basename(file)
  const key = [sourcefile, text, experimentalDecorators].join('\n')
  const path = CACHE + createHash('sha256').update(key).digest('hex')
  if (existsSync(path)) return readFileSync(path, 'utf8')
  const { transform } = await import('esbuild')
  const { code } = await transform(text, {
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
