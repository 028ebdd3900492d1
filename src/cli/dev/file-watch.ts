import { createHash } from 'node:crypto'
import { type FSWatcher, readFileSync, statSync, watch } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isOutside } from '../output-path.js'
import { Deadline, every } from './deadline.js'
import { type FolderFiles, type Globs, globOf, listBelow } from './globs.js'

/** The events of several saves that follow each other count as one. */
const QUIET_MS = 40
/** An editor may empty or remove a file before it writes the new content. */
const HALF_WRITTEN_MS = 100
/** How often all files are read where the system does not report changes. */
const POLL_MS = 1000
const SOURCE = /\.(?:[cm]?[jt]sx?|json)$/

/** What {@link FileWatch} reports. */
export interface FileWatchEvents {
  /** An event of a file that is watched, which may have its old content. */
  touched(): void
  /** All events are over. `paths` are the files with new content; it is empty if there are none. */
  settled(paths: readonly string[]): void
}

/**
 * Watches a list of files: their folders report events, and their contents decide. So a file may be replaced, moved or
 * touched, and a file that does not exist yet can be watched.
 *
 * No library: they look for files by patterns, while this list is exact, and grows with every import.
 */
export class FileWatch {
  /** Also report files that are new in the folders: the import of one may have failed. */
  seesNewFiles = false
  readonly #events: FileWatchEvents
  /** The hash of the content by path; empty for a file that does not exist. */
  readonly #files = new Map<string, string>()
  readonly #folders = new Map<string, FSWatcher>()
  readonly #pending = new Set<string>()
  readonly #globs: Globs[] = []
  readonly #named = new Set<string>()
  #isClosed = false
  #quiet: Deadline | undefined
  #stopPolling: (() => void) | undefined

  constructor(events: FileWatchEvents) {
    this.#events = events
  }

  /**
   * Watches a file, which need not exist.
   *
   * @param since When the process started that has loaded the file, in milliseconds since 1970. A later change counts: the
   * process may have loaded the older content.
   */
  add(path: string, since?: number): void {
    if (this.#files.has(path)) return
    this.#files.set(path, hashOf(path))
    this.#watchFolder(dirname(path))
    if (since !== undefined && changedAt(path) > since) {
      this.#files.set(path, 'older')
      this.#notice(path)
    }
  }

  /**
   * Watches all files that the globs match, also those that do not exist yet.
   *
   * @param since As that of {@link FileWatch.add}.
   */
  addGlobs(globs: Globs, since?: number): void {
    this.#globs.push(globs)
    for (const folder of globs.folders)
      for (const path of this.#matchesBelow(folder)) this.add(path, since)
  }

  /** Watches the files of a folder that have an ending. Every process of an application names the same folders. */
  addFolder(files: FolderFiles, since: number): void {
    const key = `${files.ending} ${files.folder}`
    if (this.#named.has(key)) return
    this.#named.add(key)
    this.addGlobs(globOf(files), since)
  }

  /** The files below a folder that the globs match. Their folders are watched from now on. */
  #matchesBelow(folder: string): string[] {
    const { files, folders } = listBelow(folder)
    for (const each of folders) this.#watchFolder(each)
    return files.filter((path) => this.#matches(path))
  }

  #matches(path: string): boolean {
    return this.#globs.some((globs) => globs.matches(path))
  }

  /** Later calls watch nothing: a process that ends may still report files, and a watch would keep the command alive. */
  close(): void {
    this.#isClosed = true
    this.#quiet?.cancel()
    this.#stopPolling?.()
    for (const watcher of this.#folders.values()) watcher.close()
    this.#folders.clear()
  }

  #watchFolder(folder: string): void {
    if (this.#isClosed || this.#folders.has(folder)) return
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
      // The folder of a missing file: the nearest one that exists reports when it is created.
      if (dirname(folder) !== folder) this.#watchFolder(dirname(folder))
      return
    }
    try {
      const watcher = watch(folder, (_, name) => this.#onEvent(folder, name))
      watcher.on('error', () => this.#lose(folder))
      this.#folders.set(folder, watcher)
    } catch {
      // The system has no more watches.
      this.#poll()
    }
  }

  /** The folder is gone, or the system watches no more. Its files may come back. */
  #lose(folder: string): void {
    this.#folders.get(folder)?.close()
    this.#folders.delete(folder)
    this.#poll()
  }

  #poll(): void {
    if (this.#isClosed) return
    this.#stopPolling ??= every(POLL_MS, () => {
      for (const [path, hash] of this.#files) if (hashOf(path) !== hash) this.#notice(path)
    })
  }

  #onEvent(folder: string, name: string | null): void {
    if (name === null) {
      for (const path of this.#files.keys()) if (dirname(path) === folder) this.#notice(path)
      return
    }
    const path = join(folder, name)
    if (this.#files.has(path) || this.#matches(path)) return this.#notice(path)
    if (name !== 'node_modules' && isFolder(path)) this.#noticeBelow(path)
    const isNew = SOURCE.test(name) || isFolder(path)
    if (this.seesNewFiles && isNew && name !== 'node_modules') this.#notice(path)
  }

  /** A folder was created: of its files, only those are read that are in a folder of the globs. */
  #noticeBelow(folder: string): void {
    const places = this.#globs.flatMap((globs) => globs.folders.flatMap(commonPlace(folder)))
    for (const place of new Set(places)) {
      for (const path of this.#matchesBelow(place)) this.#notice(path)
    }
  }

  #notice(path: string): void {
    this.#pending.add(path)
    if (this.#files.has(path)) this.#events.touched()
    this.#wait(QUIET_MS)
  }

  #wait(ms: number, isLast = false): void {
    this.#quiet?.cancel()
    if (this.#isClosed) return
    this.#quiet = new Deadline(ms, () => this.#settle(isLast))
  }

  #settle(isLast: boolean): void {
    const paths = [...this.#pending]
    const isHalf = paths.some((path) => this.#files.get(path) !== '' && isEmpty(path))
    if (isHalf && !isLast) return this.#wait(HALF_WRITTEN_MS, true)
    this.#pending.clear()
    this.#events.settled(paths.filter((path) => this.#isChanged(path)))
  }

  #isChanged(path: string): boolean {
    const hash = hashOf(path)
    const before = this.#files.get(path)
    const isMatch = this.#matches(path) && !isFolder(path)
    if (before === undefined && !isMatch) return this.seesNewFiles
    this.#files.set(path, hash)
    // A folder of it may have been created only now.
    if (hash !== '') this.#watchFolder(dirname(path))
    return hash !== (before ?? '')
  }
}

/** The inner one of two folders, if one is in the other. */
function commonPlace(folder: string): (root: string) => string[] {
  return (root) => {
    if (!isOutside(folder, root)) return [folder]
    return isOutside(root, folder) ? [] : [root]
  }
}

function hashOf(path: string): string {
  try {
    return createHash('sha256').update(readFileSync(path)).digest('base64')
  } catch {
    return ''
  }
}

function isEmpty(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0
}

function changedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

function isFolder(path: string): boolean {
  const isHidden = basename(path).startsWith('.')
  return !isHidden && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
