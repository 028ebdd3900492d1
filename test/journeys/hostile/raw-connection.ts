import { connect, type Socket } from 'node:net'

/** A response as it was received. */
export interface Answer {
  readonly status: number
  /** Every header line, in order, names in lower case. */
  readonly lines: readonly (readonly [name: string, value: string])[]
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/**
 * A client that writes and reads bytes. It uses no HTTP library, because a library would correct both.
 */
export class RawConnection {
  readonly socket: Socket
  /** Code of the error that ended the connection; `undefined` for an orderly end. */
  error: string | undefined
  readonly #chunks: Buffer[] = []
  readonly #listeners: Set<() => void> = new Set()
  #isClosed = false
  #hasEnded = false

  private constructor(socket: Socket) {
    this.socket = socket
    socket.on('data', (chunk) => this.#chunks.push(chunk))
    socket.on('error', (error: NodeJS.ErrnoException) => {
      this.error = error.code
    })
    socket.on('end', () => {
      this.#hasEnded = true
    })
    socket.on('close', () => {
      this.#isClosed = true
    })
    for (const event of ['data', 'end', 'close']) {
      socket.on(event, () => {
        for (const listener of this.#listeners) listener()
      })
    }
  }

  static async open(port: number): Promise<RawConnection> {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    const connection = new RawConnection(socket)
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
    return connection
  }

  /** Everything received so far, one character for each byte. */
  get received(): string {
    return Buffer.concat(this.#chunks).toString('latin1')
  }

  write(data: string | Buffer): this {
    this.socket.write(typeof data === 'string' ? Buffer.from(data, 'latin1') : data)
    return this
  }

  /** Waits for this number of responses, including interim ones. */
  async answers(count: number, options: { isHead?: boolean } = {}): Promise<Answer[]> {
    await this.until(() => parseAnswers(this.received, options).length >= count)
    return parseAnswers(this.received, options)
  }

  /** Waits until the server has ended or cut the connection. */
  async ended(): Promise<void> {
    await this.until(() => this.#hasEnded || this.#isClosed)
    this.destroy()
  }

  /** Waits until the condition is true. Rejects when the connection is closed before. */
  until(isReached: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const check = () => {
        if (!isReached() && !this.#isClosed) return
        this.#listeners.delete(check)
        if (isReached()) resolve()
        else reject(new Error(`Closed (${this.error}) after: ${this.received.slice(0, 2000)}`))
      }
      this.#listeners.add(check)
      check()
    })
  }

  destroy(): void {
    this.socket.destroy()
  }
}

/** Sends bytes on a new connection, and returns all responses until the connection ends. */
export async function exchange(
  port: number,
  data: string | Buffer,
  options: { isHead?: boolean } = {},
): Promise<Answer[]> {
  const connection = await RawConnection.open(port)
  connection.write(data)
  await connection.ended()
  return parseAnswers(connection.received, options)
}

/** A request as text: `Host` is added, and `Connection: close` unless `lines` has a `Connection`. */
export function request(
  target: string,
  lines: readonly string[] = [],
  { method = 'GET', body = '' }: { method?: string; body?: string } = {},
): string {
  const names = lines.map((line) => line.split(':', 1)[0]?.toLowerCase())
  const defaults = [
    ...(names.includes('host') ? [] : ['Host: localhost']),
    ...(names.includes('connection') ? [] : ['Connection: close']),
  ]
  return [`${method} ${target} HTTP/1.1`, ...defaults, ...lines, '', body].join('\r\n')
}

/** A JSON POST as text. */
export function post(target: string, body: string, lines: readonly string[] = []): string {
  const head = [
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body, 'latin1')}`,
  ]
  return request(target, [...head, ...lines], { method: 'POST', body })
}

/** Parses the complete responses. Throws if one is malformed. */
function parseAnswers(received: string, { isHead = false } = {}): Answer[] {
  const answers: Answer[] = []
  for (let rest = received; rest !== ''; ) {
    const end = rest.indexOf('\r\n\r\n')
    if (end === -1) return answers
    const [start = '', ...lines] = rest.slice(0, end).split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3})(?: |$)/.exec(start)?.[1])
    if (!status) throw new Error(`Not an answer: ${rest.slice(0, 200)}`)
    const pairs = lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
    })
    const headers = Object.fromEntries(pairs)
    const hasBody = !isHead && status >= 200 && status !== 204 && status !== 304
    const body = hasBody ? bodyAt(rest.slice(end + 4), headers) : { text: '', length: 0 }
    if (body === undefined) return answers
    answers.push({ status, lines: pairs, headers, text: body.text })
    rest = rest.slice(end + 4 + body.length)
  }
  return answers
}

function bodyAt(rest: string, headers: Record<string, string>) {
  if (headers['transfer-encoding'] === undefined) {
    const length = Number(headers['content-length'] ?? 0)
    return rest.length < length ? undefined : { text: rest.slice(0, length), length }
  }
  let text = ''
  for (let at = 0; ; ) {
    const line = rest.indexOf('\r\n', at)
    if (line === -1) return undefined
    const size = Number.parseInt(rest.slice(at, line), 16)
    at = line + 2 + size + 2
    if (rest.length < at) return undefined
    if (size === 0) return { text, length: at }
    text += rest.slice(line + 2, line + 2 + size)
  }
}
