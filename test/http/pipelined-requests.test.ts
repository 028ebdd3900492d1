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
