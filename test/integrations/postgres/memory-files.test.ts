import { describe, expect, it } from 'vitest'
import {
  type FolderNode,
  MemoryFiles,
  Pages,
} from '../../../src/integrations/postgres/drivers/memory-files.js'

const PAGE = 8192
const NO_ENTRY = { code: 44 }

const empty = (): FolderNode => ({ mode: 0o040700, changed: 0, entries: new Map() })

function textOf(files: MemoryFiles, path: string): string {
  const handle = files.open(path)
  const buffer = new Uint8Array(files.fstat(handle).size)
  expect(files.read(handle, buffer, 0, buffer.length, 0)).toBe(buffer.length)
  files.close(handle)
  return new TextDecoder().decode(buffer)
}

function writeAt(files: MemoryFiles, path: string, text: string, position: number): void {
  const handle = files.open(path)
  const bytes = new TextEncoder().encode(text)
  expect(files.write(handle, bytes, 0, bytes.length, position)).toBe(bytes.length)
  files.close(handle)
}

describe('the files of an in-memory database', () => {
  it('start as copies of a snapshot, and share no change with other copies', () => {
    const first = new MemoryFiles(empty())
    first.mkdir('base')
    first.writeFile('/base/1', 'one')
    const snapshot = first.snapshot()
    const [second, third] = [new MemoryFiles(snapshot), new MemoryFiles(snapshot)]
    writeAt(first, '/base/1', 'FIRST', 0)
    writeAt(second, '/base/1', 'two', 2)
    second.writeFile('/base/2', 'more')
    third.unlink('/base/1')
    expect(textOf(first, '/base/1')).toBe('FIRST')
    expect(textOf(second, '//base/1')).toBe('ontwo')
    expect(third.readdir('/base')).toEqual(['.', '..'])
    const fourth = new MemoryFiles(snapshot)
    expect(fourth.readdir('base')).toEqual(['.', '..', '1'])
    expect(textOf(fourth, 'base/1')).toBe('one')
  })

  it('can be read and written across pages, with zeros in unwritten places', () => {
    const files = new MemoryFiles(empty())
    files.writeFile('wal', '')
    writeAt(files, 'wal', 'ab', 3 * PAGE - 1)
    expect(files.lstat('wal').size).toBe(3 * PAGE + 1)
    expect(textOf(files, 'wal')).toBe(`${'\0'.repeat(3 * PAGE - 1)}ab`)
    const handle = files.open('wal')
    expect(files.read(handle, new Uint8Array(9), 0, 9, 3 * PAGE)).toBe(1)
    expect(files.read(handle, new Uint8Array(9), 0, 9, 4 * PAGE)).toBe(0)
  })

  it('can be read into memory at an offset, and written from there', () => {
    const files = new MemoryFiles(empty())
    files.writeFile('a', 'hello')
    const memory = new Int8Array(16).fill(120)
    const handle = files.open('a')
    files.read(handle, memory, 4, 5, 0)
    expect(new TextDecoder().decode(memory)).toBe('xxxxhelloxxxxxxx')
    files.write(handle, memory.buffer, 6, 3, 5)
    expect(textOf(files, 'a')).toBe('hellollo')
  })

  it('contain zeros after the cut if they are truncated and grow again', () => {
    const files = new MemoryFiles(empty())
    files.writeFile('a', 'x'.repeat(PAGE + 4))
    const before = files.snapshot()
    files.truncate('a', 3)
    expect(textOf(files, 'a')).toBe('xxx')
    files.truncate('a', PAGE + 2)
    expect(textOf(files, 'a')).toBe(`xxx${'\0'.repeat(PAGE - 1)}`)
    expect(textOf(new MemoryFiles(before), 'a')).toBe('x'.repeat(PAGE + 4))
  })

  it('move with their folder, and stay readable through an open handle after deletion', () => {
    const files = new MemoryFiles(empty())
    files.mkdir('old')
    files.writeFile('old/a', 'kept')
    const handle = files.open('old/a')
    files.rename('old', 'new')
    expect(() => files.lstat('old/a')).toThrow(expect.objectContaining(NO_ENTRY))
    expect(() => files.rmdir('new')).toThrow(expect.objectContaining({ code: 55 }))
    files.unlink('new/a')
    files.rmdir('new')
    const buffer = new Uint8Array(4)
    files.read(handle, buffer, 0, 4, 0)
    expect(new TextDecoder().decode(buffer)).toBe('kept')
  })

  it('are split so that equal pages are shared, and pages of zeros are omitted', () => {
    const data = new Uint8Array(3 * PAGE + 5)
    data[0] = data[2 * PAGE] = 1
    const pages = new Pages()
    const split = pages.split(data)
    expect(split).toHaveLength(4)
    expect(split[0]).toBe(split[2])
    expect([split[1], split[3]]).toEqual([undefined, undefined])
    expect(pages.split(data)[0]).toBe(split[0])
  })

  it('have a mode and a time, and are files or folders', () => {
    const files = new MemoryFiles(empty())
    files.mkdir('base')
    files.mkdir('base/open', { mode: 0o755 })
    files.writeFile('base/a', new Uint8Array(5000))
    files.writeFile('base/b', 'x', { mode: 0o644 })
    const modes = ['base', 'base/open', 'base/a', 'base/b'].map((path) => files.lstat(path).mode)
    expect(modes).toEqual([0o040700, 0o040755, 0o100600, 0o100644])
    files.chmod('base/a', 0o100400)
    files.utimes('base/a', 1, 7)
    expect(files.lstat('base/a')).toEqual({
      ...{ dev: 0, ino: 0, mode: 0o100400, nlink: 1, uid: 0, gid: 0, rdev: 0, size: 5000 },
      ...{ blksize: 4096, blocks: 2, atime: 7, mtime: 7, ctime: 7 },
    })
    const failing: [() => unknown, number][] = [
      [() => files.open('base'), 31],
      [() => files.unlink('base'), 31],
      [() => files.writeFile('/', 'x'), 31],
      [() => files.rmdir('base/a'), 44],
      [() => files.readdir('base/a'), 44],
      [() => files.lstat('base/a/b'), 44],
      [() => files.mkdir('lost/b'), 44],
      [() => files.fstat(99), 44],
    ]
    for (const [run, code] of failing) expect(run).toThrow(expect.objectContaining({ code }))
  })

  it('cannot be read through a closed handle, and have a handle of their own', () => {
    const files = new MemoryFiles(empty())
    files.writeFile('a', 'one')
    files.writeFile('b', 'three')
    const [first, second] = [files.open('a'), files.open('b')]
    files.close(first)
    expect(() => files.fstat(first)).toThrow(expect.objectContaining(NO_ENTRY))
    expect(files.fstat(second).size).toBe(5)
    expect(files.open('a')).not.toBe(first)
  })

  it('keep a snapshot after later changes of every kind', () => {
    const files = new MemoryFiles(empty())
    files.mkdir('base')
    files.writeFile('base/a', 'x'.repeat(PAGE + 1))
    const snapshot = files.snapshot()
    files.truncate('base/a')
    files.chmod('base', 0)
    files.writeFile('base/b', 'more')
    const kept = new MemoryFiles(snapshot)
    expect([kept.lstat('base/a').size, kept.lstat('base').mode]).toEqual([PAGE + 1, 0o040700])
    expect(kept.readdir('base')).toEqual(['.', '..', 'a'])
    expect(files.lstat('base/a').size).toBe(0)
  })
})
