import { writeSync } from 'node:fs'

/** The maximum length of the text that is buffered until the current turn of the event loop ends. */
const BATCH = 64 * 1024
/** The maximum length of the text that is buffered for a slow reader. Further lines are dropped and counted. */
const MOST_WAITING = 8 * 1024 * 1024
/** The delay before text is sent again to a slow reader, in milliseconds. */
const RETRY_MS = 10
/** The maximum time that a process waits for a slow reader before it ends, in milliseconds. */
const LAST_MS = 1000

/** The errors caused by a slow reader or a full disk. The text is kept and sent again. */
const TEMPORARY: ReadonlySet<unknown> = new Set(['EAGAIN', 'ENOSPC', 'EDQUOT', 'ENOBUFS'])

const open = new Set<LineSink>()

function flushAll(): void {
  for (const sink of open) sink.flush()
}

const EXITS = ['exit', 'beforeExit', 'uncaughtExceptionMonitor'] as const

/**
 * Writes lines to a file descriptor. The lines from one turn of the event loop are collected and then written
 * synchronously, so no line is lost when the process exits, and no line waits for a thread.
 */
export class LineSink {
  readonly #fd: number
  #lines = ''
  #rest: Buffer | null = null
  #isScheduled = false
  #isClosed = false
  #dropped = 0

  /** @param fd The file descriptor; 1 is stdout. */
  constructor(fd: number) {
    this.#fd = fd
    if (open.size === 0) for (const event of EXITS) process.on(event, flushAll)
    open.add(this)
  }

  /** Buffers text to be written soon. The text must end with a line break. */
  write(line: string): void {
    if (this.#lines.length > MOST_WAITING) {
      this.#dropped++
      return
    }
    this.#lines += line
    if (this.#isClosed) this.flush()
    else if (!this.#isScheduled) {
      this.#isScheduled = true
      setImmediate(this.#run)
    } else if (this.#lines.length > BATCH && this.#rest === null) this.#writeOut()
  }

  /** Writes all text immediately. Waits at most one second for a slow reader. */
  flush(): void {
    for (let waited = 0; !this.#writeOut() && waited < LAST_MS; waited += RETRY_MS) sleep(RETRY_MS)
  }

  /**
   * Writes all buffered text. Later lines are written immediately, because the sink is no longer flushed when the
   * process exits.
   */
  close(): void {
    this.#isClosed = true
    this.flush()
    open.delete(this)
    if (open.size === 0) for (const event of EXITS) process.off(event, flushAll)
  }

  readonly #run = (): void => {
    this.#isScheduled = false
    if (this.#writeOut()) return
    this.#isScheduled = true
    setTimeout(this.#run, RETRY_MS).unref()
  }

  /** Writes the buffered text. Returns `false` if the reader is too slow and some text remains. */
  #writeOut(): boolean {
    for (;;) {
      const bytes = this.#rest ?? this.#take()
      if (bytes === null) return true
      try {
        const written = writeSync(this.#fd, bytes)
        this.#rest = written < bytes.length ? bytes.subarray(written) : null
      } catch (error) {
        if (TEMPORARY.has((error as NodeJS.ErrnoException).code)) {
          this.#rest = bytes
          return false
        }
        // A log line that cannot be written must not end the process. Later lines may be written successfully.
        this.#rest = null
      }
    }
  }

  #take(): Buffer | null {
    if (this.#lines === '') return null
    const dropped = this.#dropped
    const note =
      dropped === 0
        ? ''
        : `{"level":"warn","message":"Log lines were dropped","count":${dropped}}\n`
    const bytes = Buffer.from(this.#lines + note)
    this.#lines = ''
    this.#dropped = 0
    return bytes
  }
}

/** A sink, as one of its users receives it. */
export interface SharedSink {
  readonly write: (line: string) => void
  readonly flush: () => void
  readonly close: () => void
}

const shared = new Map<number, { readonly sink: LineSink; users: number }>()

/**
 * Opens a file descriptor for lines. All applications in a process share one sink. With separate sinks, one application
 * could write while a slow reader has received only a part of another application's line.
 */
export function openSink(fd: number): SharedSink {
  const entry = shared.get(fd) ?? { sink: new LineSink(fd), users: 0 }
  const { sink } = entry
  shared.set(fd, entry)
  entry.users++
  let isClosed = false
  return {
    write(line) {
      sink.write(line)
      if (isClosed) sink.flush()
    },
    flush: () => sink.flush(),
    close() {
      if (isClosed) return
      isClosed = true
      if (--entry.users > 0) return sink.flush()
      shared.delete(fd)
      sink.close()
    },
  }
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

/**
 * Matches the characters that could forge a line or hide a part of a line, although JSON does not escape them. These
 * are DEL and terminal control characters (C1), the Unicode line separators, the byte order mark, and the marks that
 * change the text direction.
 */
const UNSAFE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

/** Matches text that needs no escapes in JSON. */
const PLAIN = /^[\w .:;,/@+*=?&()[\]{}#%~|<>$!^-]*$/

/** Returns text as a JSON string that every terminal shows on one line. */
export function quote(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : escapeJson(JSON.stringify(text))
}

/** Escapes the unsafe characters in JSON. They occur only inside strings. */
export function escapeJson(json: string): string {
  return json.replace(UNSAFE, toEscape)
}

/** Escapes text for a terminal. Quotes are unchanged, and a line break becomes `\n`. */
export function escapeText(text: string): string {
  return quote(text).slice(1, -1).replaceAll('\\"', '"')
}

function toEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
