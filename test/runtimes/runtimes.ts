import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../root.js'

/** A program that runs JavaScript with the modules of Node. */
export interface Runtime {
  readonly name: 'Node' | 'Bun' | 'Deno'
  readonly version: string
  /** Its program. */
  readonly binary: string
  /** The arguments before the path of the script. */
  readonly args: readonly string[]
}

/** The folder in which `.ci/run` installs the packages `bun` and `deno`, whose programs are in packages of the platform. */
const FETCHED = join(root, '.ci/.cache/node_modules')
const PLATFORM = `${process.platform}-${process.arch}`

/** How to get a runtime that is missing. */
export const HOW_TO_FETCH =
  'Set BUN_PATH and DENO_PATH, or run: npm install --no-save --ignore-scripts --prefix .ci/.cache bun@1 deno@2'

/** The runtimes beside Node: `null` for one that this machine does not have. */
export function otherRuntimes(): Readonly<Record<'Bun' | 'Deno', Runtime | null>> {
  const bun = process.env['BUN_PATH'] ?? join(FETCHED, `@oven/bun-${bunPlatform()}/bin/bun`)
  const deno = process.env['DENO_PATH'] ?? join(FETCHED, `@deno/${PLATFORM}${libc()}/deno`)
  return {
    Bun: found({ name: 'Bun', binary: bun, args: [] }),
    Deno: found({
      name: 'Deno',
      binary: deno,
      args: ['run', '--quiet', '--allow-all', '--no-check', '--no-lock'],
    }),
  }
}

/** The Node that runs this code: with it, the numbers of the others are compared. */
export function ownRuntime(): Runtime {
  return { name: 'Node', version: process.versions.node, binary: process.execPath, args: [] }
}

function found(runtime: Omit<Runtime, 'version'>): Runtime | null {
  if (!existsSync(runtime.binary)) return null
  const text = execFileSync(runtime.binary, ['--version'], { encoding: 'utf8' })
  const [version = text.trim()] = /\d+\.\d+\.\d+/.exec(text) ?? []
  return { ...runtime, version }
}

function bunPlatform(): string {
  return PLATFORM.replace('arm64', 'aarch64')
}

function libc(): string {
  return process.platform === 'linux' ? '-glibc' : ''
}
