import { spawnSync } from 'node:child_process'
import {
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { LineSink, openSink } from '../../../src/features/logs/line-sink.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'blazon-sink-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Both ends of a pipe whose writes fail while it is full. */
function pipe(): { reader: number; writer: number } {
  const path = join(folder, 'pipe')
  spawnSync('mkfifo', [path])
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const writer = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
  return { reader, writer }
}

/** Reads everything that is in a pipe now, each byte as one character. */
function drain(fd: number): string {
  const parts: Buffer[] = []
  const part = Buffer.alloc(65_536)
  for (;;) {
    try {
      const length = readSync(fd, part)
      if (length === 0) break
      parts.push(Buffer.from(part.subarray(0, length)))
    } catch {
      break
    }
  }
  return Buffer.concat(parts).toString('latin1')
}

describe('LineSink', () => {
  it('writes all lines of an event loop turn in order at the end of the turn', async () => {
    const file = join(folder, 'file')
    const fd = openSync(file, 'w')
    const sink = new LineSink(fd)
    sink.write('one\n')
    sink.write('two\n')
    expect(readFileSync(file, 'utf8')).toBe('')
    await new Promise((resolve) => setImmediate(resolve))
    expect(readFileSync(file, 'utf8')).toBe('one\ntwo\n')
    sink.write('three\n')
    sink.close()
    expect(readFileSync(file, 'utf8')).toBe('one\ntwo\nthree\n')
    closeSync(fd)
  })

  it('waits for a slow reader without losing or mixing lines', async () => {
    const { reader, writer } = pipe()
    const sink = new LineSink(writer)
    const lines = Array.from({ length: 5000 }, (_, n) => `${n} ${'é'.repeat(50)}\n`)
    for (const line of lines) sink.write(line)
    const expected = Buffer.from(lines.join('')).toString('latin1')
    let text = ''
    while (text.length < expected.length) {
      text += drain(reader)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(text).toBe(expected)
    sink.close()
    closeSync(reader)
    closeSync(writer)
  })

  it('drops and counts lines while the pipe is not read, and limits its memory', async () => {
    const { reader, writer } = pipe()
    const sink = new LineSink(writer)
    const line = `${'x'.repeat(1023)}\n`
    for (let n = 0; n < 20_000; n++) sink.write(line)
    let text = ''
    while (!text.includes('dropped')) {
      text += drain(reader)
      await new Promise((resolve) => setImmediate(resolve))
    }
    const { count } = JSON.parse(text.split('\n').find((each) => each.includes('dropped')) ?? '')
    const kept = text.split('\n').filter((each) => each.startsWith('x')).length
    expect(count).toBe(20_000 - kept)
    expect(kept).toBeLessThan(10_000)
    // They are reported only once.
    sink.write('next\n')
    sink.flush()
    expect(drain(reader)).toBe('next\n')
    sink.close()
    closeSync(reader)
    closeSync(writer)
  })

  it('does not throw if the reader has closed the pipe', async () => {
    const { reader, writer } = pipe()
    const sink = new LineSink(writer)
    closeSync(reader)
    sink.write('one\n')
    await new Promise((resolve) => setImmediate(resolve))
    sink.write('two\n')
    sink.close()
    closeSync(writer)
  })

  it('continues to write when a full disk has space again', async () => {
    const full = openSync('/dev/full', 'w')
    const sink = new LineSink(full)
    sink.write('one\n')
    await new Promise((resolve) => setImmediate(resolve))
    const file = join(folder, 'file')
    closeSync(full)
    // The descriptor is free again, so the file gets its number.
    expect(openSync(file, 'w')).toBe(full)
    sink.write('two\n')
    sink.close()
    expect(readFileSync(file, 'utf8')).toBe('one\ntwo\n')
    closeSync(full)
  })

  it('writes the lines of two applications to one pipe completely and in order', async () => {
    const { reader, writer } = pipe()
    const sinks = [openSink(writer), openSink(writer)] as const
    const lines = Array.from({ length: 400 }, (_, n) => `${n}:${String(n % 10).repeat(1000)}\n`)
    for (const [n, line] of lines.entries()) {
      sinks[n % 2 === 0 ? 0 : 1].write(line)
      if (n % 10 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    sinks[0].close()
    const expected = lines.join('')
    let text = ''
    while (text.length < expected.length) {
      text += drain(reader)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(text).toBe(expected)
    sinks[1].write('last\n')
    sinks[1].close()
    sinks[0].write('late\n')
    expect(drain(reader)).toBe('last\nlate\n')
    closeSync(reader)
    closeSync(writer)
  })

  it('writes the lines of a closing application at once, even if another one is running', () => {
    const file = join(folder, 'file')
    const fd = openSync(file, 'w')
    const [closing, running] = [openSink(fd), openSink(fd)] as const
    closing.write('one\n')
    closing.close()
    expect(readFileSync(file, 'utf8')).toBe('one\n')
    closing.write('late\n')
    expect(readFileSync(file, 'utf8')).toBe('one\nlate\n')
    running.close()
    closeSync(fd)
  })

  it('leaves no listener on the process after close()', () => {
    const before = process.listenerCount('exit')
    const sinks = [new LineSink(1), new LineSink(1)]
    expect(process.listenerCount('exit')).toBe(before + 1)
    for (const sink of sinks) sink.close()
    expect(process.listenerCount('exit')).toBe(before)
    const [one, other] = [openSink(1), openSink(1)]
    one.close()
    one.close()
    expect(process.listenerCount('exit')).toBe(before + 1)
    other.close()
    expect(process.listenerCount('exit')).toBe(before)
  })
})
