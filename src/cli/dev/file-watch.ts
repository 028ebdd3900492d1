import { createHash } from 'node:crypto'
import { type FSWatcher, readdirSync, readFileSync, statSync, watch } from 'node:fs'
import { dirname, join } from 'node:path'
import { Deadline } from './deadline.js'

/** The quiet time after which the events of one save are handled together, in milliseconds. */
const QUIET_MS = 60
/**
 * The additional wait for a file that was emptied or removed, in milliseconds, because an editor may be about to write
 * the new content.
 */
const HALF_WRITTEN_MS = 100
const SOURCE = /\.(?:[cm]?[jt]sx?|json)$/
/** Matches packages, hidden files, and temporary files of editors. They are not watched. */
const SKIPPED = /^(?:node_modules$|\.)|~$/

/**
 * Watches files, and all files in folders. They need not exist. Events come from the folders, but only changed
 * content counts, so files and folders can be replaced, moved or touched. `node --watch` watches the files themselves,
 * and on Linux it loses a file that an editor replaces.
 */
export class FileWatch {
  /**
   * Whether new source files beside the watched files also count, because an import may have failed due to a missing
   * file.
   */
  seesNewFiles = false
  readonly #onChange: (paths: readonly string[]) => void
  readonly #onError: (error: Error) => void
  readonly #paths = new Set<string>()
  /** The known files. A file is read again if its stamp has changed. The hash is empty for a missing file. */
  readonly #seen = new Map<string, { stamp: string; size: number; hash: string }>()
  /** The watched folders. The identity changes when a folder is replaced. */
  readonly #folders = new Map<string, { readonly watcher?: FSWatcher; readonly identity: string }>()
  #timer: Deadline | undefined
  #isClosed = false

  /**
   * @param onChange Called with the files whose content has changed.
   * @param onError Called if the system cannot watch a folder.
   */
  constructor(onChange: (paths: readonly string[]) => void, onError: (error: Error) => void) {
    this.#onChange = onChange
    this.#onError = onError
  }

  /**
   * Watches a file, or all files in a folder.
   *
   * @param since The start time of the process that read the files, in milliseconds since 1970. Later changes count,
   * because the process may have read the older content.
   */
  add(path: string, since: number = Number.POSITIVE_INFINITY): void {
    if (this.#isClosed || this.#paths.has(path)) return
    this.#paths.add(path)
    const { files, folders } = placesOf(path)
    for (const folder of folders) this.#watchFolder(folder)
    for (const file of files) {
      if ((statOf(file)?.mtimeMs ?? 0) > since) this.#checkSoon()
      else this.#isChanged(file)
    }
  }

  close(): void {
    this.#isClosed = true
    this.#timer?.cancel()
    for (const { watcher } of this.#folders.values()) watcher?.close()
  }

  #checkSoon(): void {
    if (!this.#isClosed) this.#timer ??= new Deadline(QUIET_MS, () => this.#check())
  }

  #check(isLast = false): void {
    this.#timer = undefined
    const folders = new Set([...this.#paths].flatMap((path) => placesOf(path).folders))
    for (const folder of folders) {
      const isNew = this.#watchFolder(folder)
      if (isNew) for (const { name } of entriesOf(folder)) this.#notice(folder, name)
    }
    // The folders are watched first, so that changes in the meantime are detected.
    const files = [...this.#paths].flatMap((path) => placesOf(path).files)
    if (!isLast && files.some((file) => this.#isEmptied(file))) {
      this.#timer ??= new Deadline(HALF_WRITTEN_MS, () => this.#check(true))
      return
    }
    const changed = [...this.#seen.keys(), ...files].filter((file) => this.#isChanged(file))
    if (changed.length > 0) this.#onChange(changed)
  }

  #isEmptied(file: string): boolean {
    return !statOf(file)?.size && (this.#seen.get(file)?.size ?? 0) > 0
  }

  /** Records the content of a file, and returns whether it has changed. */
  #isChanged(file: string): boolean {
    const stats = statOf(file)
    const stamp = stats === undefined ? '' : `${stats.mtimeMs} ${stats.size} ${stats.ino}`
    const before = this.#seen.get(file)
    if (before?.stamp === stamp) return false
    const hash = hashOf(file)
    this.#seen.set(file, { stamp, size: stats?.size ?? 0, hash })
    return hash !== (before?.hash ?? '')
  }

  /** Watches a folder. Returns `false` if the folder is already watched. */
  #watchFolder(folder: string): boolean {
    const { ino, birthtimeMs } = statOf(folder) ?? {}
    const identity = `${ino} ${birthtimeMs}`
    const known = this.#folders.get(folder)
    if (known?.identity === identity) return false
    known?.watcher?.close()
    const watcher = this.#open(folder)
    this.#folders.set(folder, { ...(watcher && { watcher }), identity })
    return true
  }

  #open(folder: string): FSWatcher | undefined {
    try {
      const watcher = watch(folder, (_, name) => this.#notice(folder, name))
      // If the folder was removed, an event of its parent folder reports this.
      watcher.on('error', () => watcher.close())
      return watcher
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.#onError(error as Error)
      return undefined
    }
  }

  #notice(folder: string, name: string | null): void {
    const isSource = name !== null && SOURCE.test(name) && !SKIPPED.test(name)
    if (this.seesNewFiles && isSource) this.#paths.add(join(folder, name))
    this.#checkSoon()
  }
}

/**
 * Returns the files of a path, and the folders that report their changes. A file need not exist. Links to folders are
 * not followed.
 */
function placesOf(path: string): Record<'files' | 'folders', string[]> {
  const above = nearestFolder(dirname(path))
  if (!isFolder(path)) return { files: [path], folders: [above] }
  const [files, folders]: [string[], string[]] = [[], [path]]
  // The loop adds folders to the list that it iterates over.
  for (const folder of folders) {
    for (const entry of entriesOf(folder)) {
      if (!SKIPPED.test(entry.name)) {
        const list = entry.isDirectory() ? folders : files
        list.push(join(folder, entry.name))
      }
    }
  }
  return { files, folders: [above, ...folders] }
}

function nearestFolder(folder: string): string {
  return isFolder(folder) || dirname(folder) === folder ? folder : nearestFolder(dirname(folder))
}

function isFolder(path: string): boolean {
  return statOf(path)?.isDirectory() === true
}

function entriesOf(folder: string) {
  return attempt(() => readdirSync(folder, { withFileTypes: true })) ?? []
}

function statOf(path: string) {
  return attempt(() => statSync(path))
}

function hashOf(path: string): string {
  return attempt(() => createHash('sha256').update(readFileSync(path)).digest('base64')) ?? ''
}

/** Calls `read`. Returns `undefined` if the file does not exist or cannot be read. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
