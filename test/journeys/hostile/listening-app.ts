import type { Socket } from 'node:net'
import { App, type AppOptions, type Logger } from 'blazon'
import { expect, onTestFinished } from 'vitest'
import { type Answer, exchange, request } from './raw-connection.js'

/** An application that listens on a free port of the loopback interface, and what it has logged. */
export interface ListeningApp {
  readonly app: App
  readonly port: number
  readonly logged: { readonly facts: object; readonly message: string }[]
  /** Bytes that the server has received on its connections. */
  readonly accepted: () => number
}

/** Starts an application for a test. After the test, it must still respond on a new connection; then it is closed. */
export async function start(options: AppOptions): Promise<ListeningApp> {
  const logged: ListeningApp['logged'] = []
  const logger: Logger = {
    info() {},
    warn() {},
    error: (facts, message) => logged.push({ facts, message }),
  }
  const timeouts = { close: '100ms', ...options.timeouts }
  const app = new App({ logger, ...options, timeouts })
  const { port } = await app.listen(0, '127.0.0.1')
  onTestFinished(() => endAlive(app))
  const sockets: Socket[] = []
  app.server.on('connection', (socket) => sockets.push(socket))
  const accepted = () => sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0)
  return { app, port, logged, accepted }
}

/** Returns true if the application responds on a new connection. */
export async function isAlive(port: number): Promise<boolean> {
  const [answer] = await exchange(port, request('/there-is-no-such-route'))
  return answer !== undefined && answer.status >= 400
}

async function endAlive(app: App): Promise<void> {
  const address = app.server.address()
  if (address !== null && typeof address === 'object') {
    expect(await isAlive(address.port)).toBe(true)
  }
  await app.close()
}

/** Text that must not reach a client: stacks, files, modules. */
const LEAKS = /\bat .+\(|node:|node_modules|\.ts\b|\.js\b|\/tmp|\\n\s+at /

/** Expects the envelope of an error, with no other fields and no internal details. */
export function expectFailure(
  answer: Answer | undefined,
  status: number,
  code: string,
): Record<string, unknown> {
  expect(answer?.status, answer?.text).toBe(status)
  expect(answer?.headers['content-type']).toBe('application/json; charset=utf-8')
  const body = JSON.parse(answer?.text ?? '')
  expect(body).toMatchObject({ statusCode: 'error', status, code, message: expect.any(String) })
  const allowed = ['statusCode', 'status', 'message', 'code', 'errors', 'requestId']
  expect(Object.keys(body).filter((key) => !allowed.includes(key))).toEqual([])
  expect(answer?.text).not.toMatch(LEAKS)
  return body
}
