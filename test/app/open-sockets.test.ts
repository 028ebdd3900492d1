import { once } from 'node:events'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { expect, it, vi } from 'vitest'
import { OpenSockets } from '../../src/app/connections.js'

const stream = (): Socket =>
  new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() }) as unknown as Socket

async function closedStream(): Promise<Socket> {
  const socket = stream()
  await once(socket.destroy(), 'close')
  return socket
}

it('OpenSockets starts to watch connections when the application closes', () => {
  const sockets = new OpenSockets(() => {})
  const socket = stream()
  sockets.add(socket)
  expect(socket.listenerCount('close')).toBe(0)
  sockets.watch()
  expect(socket.listenerCount('close')).toBe(1)
})

it('OpenSockets lists the open connections, and removes each connection that closes', async () => {
  const closed = vi.fn()
  const sockets = new OpenSockets(closed)
  const [early, late] = [stream(), stream()]
  for (const socket of [early, await closedStream()]) sockets.add(socket)
  const open = sockets.watch()
  sockets.add(late)
  expect([...open]).toEqual([early, late])
  for (const socket of [early, late]) await once(socket.destroy(), 'close')
  expect(closed).toHaveBeenCalledTimes(2)
  expect(open.size).toBe(0)
})

it('OpenSockets keeps all open connections, however many have closed', async () => {
  const sockets = new OpenSockets(() => {})
  const open: Socket[] = []
  for (let i = 0; i < 300; i++) {
    open.push(stream())
    sockets.add(open[i] as Socket)
    sockets.add(await closedStream())
  }
  expect([...sockets.watch()]).toEqual(open)
})

it('OpenSockets removes closed connections even before the application closes', async () => {
  const sockets = new OpenSockets(() => {})
  const socket = await closedStream()
  const asked = vi.spyOn(socket, 'closed', 'get')
  for (let i = 0; i < 1000; i++) sockets.add(socket)
  asked.mockClear()
  sockets.watch()
  expect(asked.mock.calls.length).toBeLessThan(100)
})

it('OpenSockets recognizes a closed connection by its `destroyed` property alone', () => {
  const sockets = new OpenSockets(() => {})
  sockets.add(Object.defineProperty(stream().destroy(), 'closed', { value: undefined }))
  expect(sockets.watch().size).toBe(0)
})
