import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { cancelStatement } from '../../../src/integrations/postgres/drivers/cancel-statement.js'

/** A server that receives requests to cancel a statement. */
async function listen(where: { port: number; host: string } | { path: string }) {
  const server = createServer({ allowHalfOpen: true })
  server.listen(where)
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  /** The bytes of the next request, after which the server closes the connection. */
  const next = async () => {
    const [socket] = (await once(server, 'connection')) as [Socket]
    const [bytes] = (await once(socket, 'data')) as [Buffer]
    const ended = once(socket, 'close')
    socket.end()
    await ended
    return bytes
  }
  return { server, next }
}

const client = (more: object) => ({ processID: 7, secretKey: -9, ...more }) as never

function numbersOf(bytes: Buffer): number[] {
  return [0, 4, 8, 12].map((at) => bytes.readInt32BE(at))
}

it('a request to cancel a statement has the numbers of its connection', async () => {
  const { server, next } = await listen({ port: 0, host: '127.0.0.1' })
  const { port } = server.address() as { port: number }
  const received = next()
  cancelStatement(client({ host: '127.0.0.1', port }))
  const bytes = await received
  expect([bytes.length, ...numbersOf(bytes)]).toEqual([16, 16, 80_877_102, 7, -9])
})

it.skipIf(process.platform === 'win32')(
  'a request to cancel a statement is sent over the socket of the server',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'blazon-cancel-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const { next } = await listen({ path: join(folder, '.s.PGSQL.5433') })
    const received = next()
    cancelStatement(client({ host: folder, port: 5433 }))
    expect(numbersOf(await received)).toEqual([16, 80_877_102, 7, -9])
  },
)

it('no request is sent without the numbers of the connection', async () => {
  const { server, next } = await listen({ port: 0, host: '127.0.0.1' })
  const { port } = server.address() as { port: number }
  const received = next()
  for (const missing of [{ processID: null }, { secretKey: null }])
    cancelStatement(client({ host: '127.0.0.1', port, ...missing }))
  cancelStatement(client({ host: '127.0.0.1', port, processID: 8 }))
  expect(numbersOf(await received)[2]).toBe(8)
})
