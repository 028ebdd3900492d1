import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import {
  describeFailure,
  isServerError,
  startDeadline,
  waitAtMost,
} from '../../../src/integrations/redis/failures.js'

class SocketClosedUnexpectedlyError extends Error {}
const withCode = (code: unknown) => Object.assign(new Error('hunter2'), { code })

it.each<[unknown, string]>([
  [withCode('ECONNRESET'), 'ECONNRESET'],
  [withCode(7), 'Error'],
  [new Error('WRONGPASS invalid username-password pair'), 'WRONGPASS'],
  [new Error('OOM command not allowed'), 'OOM'],
  [new Error('OOM'), 'Error'],
  [new Error("Unknown command 'hunter2'"), 'Error'],
  [new SocketClosedUnexpectedlyError('hunter2'), 'SocketClosedUnexpectedlyError'],
  ['hunter2', 'unknown'],
  [undefined, 'unknown'],
])('a failure of Redis is described without its message: %o', (error, text) => {
  expect(describeFailure(error)).toBe(text)
})

it.each<[unknown, boolean]>([
  [new Error('ERR unknown command'), true],
  [new Error('ERR'), false],
  [new Error('Socket closed'), false],
  [new Error('A reply'), false],
  ['ERR text', false],
])('an error reply is recognized by its first word: %o', (error, isReply) => {
  expect(isServerError(error)).toBe(isReply)
})

it('a deadline does not expire if the reply has arrived while the process was busy', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const client = connect(port, '127.0.0.1')
  const [socket] = await once(server, 'connection')
  onTestFinished(() => {
    client.destroy()
    socket.destroy()
    server.close()
  })
  const expire = vi.fn()
  const arrived = new Promise<void>((resolve) => {
    socket.once('data', () => {
      cancel()
      resolve()
    })
  })
  if (client.connecting) await once(client, 'connect')
  const cancel = startDeadline(1, expire)
  client.write('reply')
  const begun = performance.now()
  while (performance.now() - begun < 3) {
    // The process is busy until the deadline is over.
  }
  await arrived
  await new Promise((resolve) => setImmediate(resolve))
  expect(expire).not.toHaveBeenCalled()
})

it('a deadline expires once, and not after it was cancelled', async () => {
  const calls: string[] = []
  startDeadline(1, () => calls.push('cancelled'))()
  await new Promise<void>((resolve) => {
    startDeadline(1, () => {
      calls.push('expired')
      resolve()
    })
  })
  expect(calls).toEqual(['expired'])
})

it('a limited wait ends with the promise, even if it is rejected', async () => {
  await waitAtMost(60_000)
  await waitAtMost(60_000, Promise.reject(new Error('no')))
  await waitAtMost(1, new Promise(() => {}))
})
