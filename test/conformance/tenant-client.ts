import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import type { TestApp } from 'blazon/testing'

/** A client that shows the bytes that it has received. */
export class Client {
  readonly socket: Duplex
  readonly firstByte: Promise<unknown>
  received = ''

  constructor(app: TestApp) {
    this.socket = app.connect()
    this.socket.setEncoding('latin1')
    this.socket.on('error', () => {})
    this.socket.on('data', (data) => {
      this.received += data
    })
    this.firstByte = once(this.socket, 'data')
    this.firstByte.catch(() => {})
  }

  post(path: string, body: object): void {
    const text = JSON.stringify(body)
    this.begin(path, text.length)
    this.socket.write(text)
  }

  /** Sends the head of a POST. The body comes later. */
  begin(path: string, length: number): void {
    const lines = ['Content-Type: application/json', `Content-Length: ${length}`]
    this.send('POST', path, lines)
  }

  send(method: string, path: string, lines: readonly string[] = []): void {
    const head = [`${method} ${path} HTTP/1.1`, 'Host: localhost', 'X-Tenant-Id: a', ...lines]
    this.socket.write(`${head.join('\r\n')}\r\n\r\n`)
  }

  async status(): Promise<number> {
    await this.firstByte
    return Number(/^HTTP\/1\.1 (\d{3})/.exec(this.received)?.[1])
  }

  destroy(): void {
    this.socket.destroy()
  }
}
