import { createHash } from 'node:crypto'

/** The size of the pages that PostgreSQL reads and writes, in bytes. */
const PAGE = 8192
const NO_ENTRY = 44
const IS_FOLDER = 31
const NOT_EMPTY = 55
const FOLDER_BIT = 0o040000
const FILE_BIT = 0o100000

/** A file. A missing page contains only zeros. */
export interface FileNode {
  mode: number
  changed: number
  size: number
  pages: (Uint8Array | undefined)[]
}

/** A folder. */
export interface FolderNode {
  mode: number
  changed: number
  readonly entries: Map<string, Node>
}

export type Node = FileNode | FolderNode

/** The properties of a file, as in Node's `fs.Stats`. Times are in milliseconds since 1970. */
export interface FileStats {
  readonly dev: number
  readonly ino: number
  readonly mode: number
  readonly nlink: number
  readonly uid: number
  readonly gid: number
  readonly rdev: number
  readonly size: number
  readonly blksize: number
  readonly blocks: number
  readonly atime: number
  readonly mtime: number
  readonly ctime: number
}

/**
 * The files of an in-memory database. They begin as the files of a snapshot and share its pages. A page is copied when
 * it is first written, so a database starts without copying forty megabytes.
 *
 * The class has the methods of PGlite's `BaseFilesystem`. They throw errors whose `code` is a WASI error number.
 */
export class MemoryFiles {
  readonly #root: FolderNode
  readonly #open = new Map<number, FileNode>()
  /** The pages that do not belong to a snapshot. */
  #own = new WeakSet<Uint8Array>()
  #lastHandle = 0

  /** @param snapshot The root folder of a snapshot, which is not changed. */
  constructor(snapshot: FolderNode) {
    this.#root = copyTree(snapshot)
  }

  /** Returns the current root folder. Later writes do not change it. */
  snapshot(): FolderNode {
    this.#own = new WeakSet()
    return copyTree(this.#root)
  }

  chmod(path: string, mode: number): void {
    this.#find(path).mode = mode
  }

  utimes(path: string, _accessed: number, changed: number): void {
    this.#find(path).changed = changed
  }

  lstat(path: string): FileStats {
    return statsOf(this.#find(path))
  }

  fstat(handle: number): FileStats {
    return statsOf(this.#opened(handle))
  }

  mkdir(path: string, { mode = 0o700 }: { readonly mode?: number } = {}): void {
    const node = { mode: FOLDER_BIT | mode, changed: Date.now(), entries: new Map() }
    this.#put(path, node)
  }

  readdir(path: string): string[] {
    return ['.', '..', ...this.#folder(path).entries.keys()]
  }

  rename(from: string, to: string): void {
    const node = this.#find(from)
    this.#remove(from)
    this.#put(to, node)
  }

  rmdir(path: string): void {
    if (this.#folder(path).entries.size > 0) throw failure(NOT_EMPTY)
    this.#remove(path)
  }

  unlink(path: string): void {
    this.#file(path)
    this.#remove(path)
  }

  writeFile(
    path: string,
    data: string | Uint8Array,
    { mode = 0o600 }: { readonly mode?: number } = {},
  ): void {
    const file: FileNode = { mode: FILE_BIT | mode, changed: 0, size: 0, pages: [] }
    this.#put(path, file)
    this.#write(file, typeof data === 'string' ? new TextEncoder().encode(data) : data, 0)
  }

  truncate(path: string, size = 0): void {
    const file = this.#file(path)
    file.pages.length = Math.min(file.pages.length, Math.ceil(size / PAGE))
    // The rest of the last page must contain zeros, in case the file grows again.
    if (size < file.size && file.pages[Math.floor(size / PAGE)] !== undefined) {
      this.#pageToWrite(file, Math.floor(size / PAGE)).fill(0, size % PAGE)
    }
    file.size = size
    file.changed = Date.now()
  }

  open(path: string): number {
    const file = this.#file(path)
    this.#open.set(++this.#lastHandle, file)
    return this.#lastHandle
  }

  close(handle: number): void {
    this.#open.delete(handle)
  }

  read(handle: number, buffer: Memory, offset: number, length: number, position: number): number {
    const { size, pages } = this.#opened(handle)
    const target = bytesOf(buffer)
    const end = Math.min(size, position + length)
    for (let at = position; at < end; ) {
      const start = at % PAGE
      const count = Math.min(PAGE - start, end - at)
      const to = offset + at - position
      const page = pages[Math.floor(at / PAGE)]
      if (page === undefined) target.fill(0, to, to + count)
      else target.set(page.subarray(start, start + count), to)
      at += count
    }
    return Math.max(0, end - position)
  }

  write(handle: number, buffer: Memory, offset: number, length: number, position: number): number {
    const data = bytesOf(buffer).subarray(offset, offset + length)
    this.#write(this.#opened(handle), data, position)
    return length
  }

  #write(file: FileNode, data: Uint8Array, position: number): void {
    for (let done = 0; done < data.length; ) {
      const at = position + done
      const start = at % PAGE
      const part = data.subarray(done, done + PAGE - start)
      this.#pageToWrite(file, Math.floor(at / PAGE)).set(part, start)
      done += part.length
    }
    file.size = Math.max(file.size, position + data.length)
    file.changed = Date.now()
  }

  #pageToWrite(file: FileNode, index: number): Uint8Array {
    const page = file.pages[index]
    if (page !== undefined && this.#own.has(page)) return page
    const own = page?.slice() ?? new Uint8Array(PAGE)
    this.#own.add(own)
    file.pages[index] = own
    return own
  }

  #opened(handle: number): FileNode {
    return this.#open.get(handle) ?? fail(NO_ENTRY)
  }

  #find(path: string): Node {
    let node: Node = this.#root
    for (const name of namesOf(path)) {
      node = (isFolder(node) ? node.entries.get(name) : undefined) ?? fail(NO_ENTRY)
    }
    return node
  }

  #folder(path: string): FolderNode {
    const node = this.#find(path)
    return isFolder(node) ? node : fail(NO_ENTRY)
  }

  #file(path: string): FileNode {
    const node = this.#find(path)
    return isFolder(node) ? fail(IS_FOLDER) : node
  }

  #put(path: string, node: Node): void {
    const names = namesOf(path)
    const name = names.pop() ?? fail(IS_FOLDER)
    this.#folder(names.join('/')).entries.set(name, node)
  }

  #remove(path: string): void {
    const names = namesOf(path)
    const name = names.pop() ?? fail(IS_FOLDER)
    this.#folder(names.join('/')).entries.delete(name)
  }
}

/** The memory of PGlite: `HEAP8` for a read, and its buffer for a write. */
type Memory = ArrayBufferLike | ArrayBufferView

/**
 * Splits file contents into pages. Equal pages are shared, because the three databases that `initdb` creates are nearly
 * equal.
 */
export class Pages {
  readonly #known = new Map<string, Uint8Array>()

  split(data: Uint8Array): (Uint8Array | undefined)[] {
    const count = Math.ceil(data.length / PAGE)
    return Array.from({ length: count }, (_, index) =>
      this.#intern(data.subarray(index * PAGE, (index + 1) * PAGE)),
    )
  }

  #intern(part: Uint8Array): Uint8Array | undefined {
    if (part.every((byte) => byte === 0)) return undefined
    const page = new Uint8Array(PAGE)
    page.set(part)
    const key = createHash('sha256').update(page).digest('base64')
    if (!this.#known.has(key)) this.#known.set(key, page)
    return this.#known.get(key)
  }
}

export function isFolder(node: Node): node is FolderNode {
  return 'entries' in node
}

function copyTree(folder: FolderNode): FolderNode {
  const entries = [...folder.entries].map(([name, node]): [string, Node] => [
    name,
    isFolder(node) ? copyTree(node) : { ...node, pages: node.pages.slice() },
  ])
  return { ...folder, entries: new Map(entries) }
}

function statsOf(node: Node): FileStats {
  const size = isFolder(node) ? 0 : node.size
  const { mode, changed } = node
  const times = { atime: changed, mtime: changed, ctime: changed }
  const owner = { dev: 0, ino: 0, nlink: 1, uid: 0, gid: 0, rdev: 0 }
  return { ...owner, ...times, mode, size, blksize: 4096, blocks: Math.ceil(size / 4096) }
}

function namesOf(path: string): string[] {
  return path.split('/').filter((name) => name !== '')
}

function bytesOf(memory: Memory): Uint8Array {
  if (!ArrayBuffer.isView(memory)) return new Uint8Array(memory)
  return new Uint8Array(memory.buffer, memory.byteOffset, memory.byteLength)
}

function failure(code: number): Error {
  return Object.assign(new Error(`File error ${code}`), { code })
}

function fail(code: number): never {
  throw failure(code)
}
