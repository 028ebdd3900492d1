import { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { closeWithConnection, isAfterLast } from '../../src/http/close-with-connection.js'
import { countWork } from '../count-work.js'

/** Requests that arrive together on a connection whose first response is not over. */
function pipelined(count: number): { run: () => boolean[]; responses: ServerResponse[] } {
  const socket = new PassThrough() as unknown as Socket & { _httpMessage?: ServerResponse }
  const req = { socket, method: 'GET', httpVersionMajor: 1, httpVersionMinor: 1 } as never
  const responses = Array.from({ length: count }, () => new ServerResponse(req))
  const [first, ...others] = responses
  if (first !== undefined) socket._httpMessage = first
  const run = () =>
    others.map((res) => {
      const isRefused = isAfterLast(req, res)
      if (!isRefused) closeWithConnection(req, res)
      return isRefused
    })
  return { run, responses }
}

it('a pipelined request is detected if an earlier response will close the connection', () => {
  const { run, responses } = pipelined(5)
  ;(responses[2] as ServerResponse).shouldKeepAlive = false
  expect(run()).toEqual([false, false, true, true])
  const again = pipelined(3)
  again.run()
  ;(again.responses[0] as ServerResponse).shouldKeepAlive = false
  expect(again.run()).toEqual([true, false])
})

it('the check of a pipelined request does not visit all earlier requests', () => {
  const { run } = pipelined(2000)
  expect(countWork(run)).toBeLessThan(10 * 2000)
})

/** Counts the `close` events of a response. */
function closesOf(res: ServerResponse): { count: number } {
  const closes = { count: 0 }
  res.on('close', () => closes.count++)
  return closes
}

it('a waiting response closes once with its connection, unless Node closes it', () => {
  const { run, responses } = pipelined(3)
  run()
  const [, next, last] = responses.map(closesOf)
  // From this event on, the response has the connection itself.
  responses[1]?.emit('socket')
  const { socket } = (responses[0] as ServerResponse).req
  socket.emit('close')
  socket.emit('close')
  expect([next?.count, last?.count, responses[2]?.destroyed]).toEqual([0, 1, true])
})

it('a response on a connection that has already closed is closed immediately', async () => {
  const socket = new PassThrough()
  await new Promise((resolve) => socket.once('close', resolve).destroy())
  const req = { socket, method: 'GET', httpVersionMajor: 1, httpVersionMinor: 1 } as never
  const res = new ServerResponse(req)
  const closes = closesOf(res)
  closeWithConnection(req, res)
  expect([closes.count, res.closed]).toEqual([1, true])
})
