import { RawConnection } from '../journeys/hostile/raw-connection.js'
import type { WireCase } from './cases.js'
import { findText } from './text.js'

/** A response as the page shows it. */
export interface Outcome {
  readonly status: number
  /** What the handler has understood; empty if no handler ran. */
  readonly text: string
}

/** The request after each case. It shows where the server has seen the end of the request before. */
const NEXT = 'GET /hello?next HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'

/** Sends the case on a new connection, in these parts, and returns what is received until the connection ends. */
export async function tryCase(
  port: number,
  { bytes, end }: WireCase,
  cut?: number,
): Promise<Outcome[]> {
  const connection = await RawConnection.open(port)
  const all = bytes + (end === undefined ? NEXT : '')
  connection.socket.setNoDelay(true)
  connection.write(all.slice(0, cut ?? all.length))
  if (cut !== undefined) {
    await new Promise((resolve) => setImmediate(resolve))
    if (connection.socket.writable) connection.write(all.slice(cut))
  }
  if (end === 'client') connection.socket.end()
  await connection.ended()
  const answers = connection.received === '' ? [] : await connection.answers(0)
  return answers.map(({ status, text }) => ({ status, text: findText(text) }))
}

/** The outcome in a cell of the page. */
export function show(outcomes: readonly Outcome[]): string {
  if (outcomes.length === 0) return 'closed'
  return outcomes
    .map(({ status, text }) => (text === '' ? `${status}` : `${status} \`${text}\``))
    .join(', ')
}
