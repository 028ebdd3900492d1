// The compilers, and what they say about a program.
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { filesOf, PROGRAMS } from './programs.mjs'

const run = promisify(execFile)
const bench = join(import.meta.dirname, '..')
const modules = join(bench, '..', 'node_modules')

/** The oldest that is supported and the newest, by name. One thread, because what several do is counted differently in each run. */
export const COMPILERS = {
  'TypeScript 5.9': { package: 'typescript-5', file: 'lib/tsc.js', args: [] },
  'TypeScript 6': { package: 'typescript-6', file: 'lib/tsc.js', args: [] },
  'TypeScript 7': { package: 'typescript', file: 'bin/tsc', args: ['--singleThreaded'] },
}

export function versionOfCompiler(name) {
  const manifest = join(modules, COMPILERS[name].package, 'package.json')
  return JSON.parse(readFileSync(manifest, 'utf8')).version
}

const OPTIONS = {
  target: 'es2022',
  lib: ['es2023'],
  module: 'nodenext',
  types: ['node'],
  strict: true,
  skipLibCheck: true,
  noEmit: true,
}

/** Writes a program where its imports are found; answers with its folder. */
export function writeProgram(name, { routes, isPlanted = false }) {
  const { isPeer = false, isLegacy = false } = PROGRAMS[name]
  const build = join(bench, isPeer ? 'peers' : '.', '.build', 'types')
  const folder = join(build, `${name}-${routes}${isPlanted ? '-planted' : ''}`)
  if (existsSync(folder)) rmSync(folder, { recursive: true })
  mkdirSync(folder, { recursive: true })
  const compilerOptions = { ...OPTIONS, experimentalDecorators: isLegacy }
  const files = {
    ...filesOf(PROGRAMS[name], { routes, isPlanted }),
    'package.json': JSON.stringify({ type: 'module' }),
    'tsconfig.json': JSON.stringify({ compilerOptions, include: ['*.ts'] }),
  }
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text)
  return folder
}

/**
 * Checks a program.
 *
 * @returns `instantiations`, `types`, `seconds` of checking, `megabytes`, and the `errors` that it found: `{ file, line, code, text }`.
 */
export async function check(compiler, folder, { node = process.execPath } = {}) {
  const { package: name, file, args } = COMPILERS[compiler]
  const command = [join(modules, name, file), ...args, '-p', folder]
  const flags = ['--extendedDiagnostics', '--pretty', 'false']
  const { stdout } = await run(node, [...command, ...flags], { maxBuffer: 64 << 20 }).catch(
    // A program with errors; what it says is the same.
    (error) => error,
  )
  return {
    instantiations: numberIn(stdout, 'Instantiations'),
    types: numberIn(stdout, 'Types'),
    seconds: numberIn(stdout, 'Check time'),
    megabytes: numberIn(stdout, 'Memory used') / 1024,
    errors: errorsIn(stdout),
  }
}

function numberIn(stdout, label) {
  const [, value] = new RegExp(`^${label}:\\s+([\\d.]+)[sK]?$`, 'm').exec(stdout) ?? []
  if (value === undefined) throw new Error(`The compiler does not say '${label}':\n${stdout}`)
  return Number(value)
}

const ERROR = /^(?:.*\/)?([\w-]+\.ts)\((\d+),\d+\): error (TS\d+): (.*)$/gm

function errorsIn(stdout) {
  return [...stdout.matchAll(ERROR)].map(([, file, line, code, text]) => ({
    file,
    line: Number(line),
    code,
    text,
  }))
}
