import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { createInterface } from 'node:readline'
import { resolveFrom } from '../load/launch.js'
import { nearestWith } from '../output-path.js'
import type { Streams } from '../streams.js'
import { FileWatch } from './file-watch.js'
import { endGroup } from './process-group.js'

const ERROR = /\berror TS\d+:/
/** Of 19: the compiler still makes progress on a busy machine. */
const NICENESS = 5

/**
 * The compiler of the project, which checks types beside the application. It runs once for each change: `tsc --watch` of
 * TypeScript 7.0 misses changes.
 */
export class TypeCheck {
  readonly #tsc: string
  readonly #folder: string
  readonly #streams: Streams
  /** Files with types only, which the application never loads, are watched, too. */
  readonly #watch = new FileWatch({
    touched: () => {},
    settled: (paths) => {
      if (paths.length > 0) this.#run()
    },
  })
  #child: ChildProcess | undefined
  #hadErrors = false

  private constructor(tsc: string, folder: string, streams: Streams) {
    this.#tsc = tsc
    this.#folder = folder
    this.#streams = streams
    this.#run()
  }

  /** Starts to check. Returns `undefined` for a project without a `tsconfig.json` or without TypeScript. */
  static start(entry: string, streams: Streams): TypeCheck | undefined {
    const folder = nearestWith('tsconfig.json', dirname(entry))
    const tsc = folder && findTsc(folder)
    return folder && tsc ? new TypeCheck(tsc, folder, streams) : undefined
  }

  #run(): void {
    this.#end()
    const since = Date.now()
    const args = [this.#tsc, '--noEmit', '--pretty', 'false', '--listFiles', '-p', this.#folder]
    const child = spawn(process.execPath, args, {
      cwd: this.#folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
    })
    this.#child = child
    yieldTo(child)
    const lines: string[] = []
    for (const stream of [child.stdout, child.stderr]) {
      createInterface(stream).on('line', (line) => lines.push(line))
    }
    child.once('error', (error) => lines.push(error.message))
    // A newer run may have taken its place.
    child.once('close', () => child === this.#child && this.#report(lines, since))
  }

  #report(lines: readonly string[], since: number): void {
    this.#child = undefined
    const [files, messages] = [lines.filter(isAbsolute), lines.filter((line) => !isAbsolute(line))]
    for (const path of [...files, join(this.#folder, 'tsconfig.json')]) {
      if (!path.includes('node_modules')) this.#watch.add(path, since)
    }
    for (const line of messages) if (line.trim() !== '') this.#streams.note(`types: ${line}`)
    const count = messages.filter((line) => ERROR.test(line)).length
    if (count > 0) this.#streams.note(`types: ${count === 1 ? '1 error' : `${count} errors`}.`)
    else if (this.#hadErrors) this.#streams.note('types: no errors any more.')
    this.#hadErrors = count > 0
  }

  #end(): void {
    if (this.#child !== undefined) endGroup(this.#child)
    this.#child = undefined
  }

  close(): void {
    this.#watch.close()
    this.#end()
  }
}

/** The script of the command `tsc`. */
function findTsc(folder: string): string | undefined {
  const manifest = resolveFrom(folder, 'typescript/package.json')
  if (manifest === undefined) return undefined
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as { bin?: { tsc?: string } }
  return bin?.tsc === undefined ? undefined : join(dirname(manifest), bin.tsc)
}

/** A restart is more urgent than the types. */
function yieldTo({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, NICENESS)
  } catch {
    // The system does not allow it.
  }
}
