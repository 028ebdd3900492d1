// The clients of bench/idle.mjs, in a process of their own: opens keep-alive connections, sends one request over each, and then
// leaves them idle. Tells its parent when all were answered, and closes them when it is told to.
import { once } from 'node:events'
import { connect } from 'node:net'

const BATCH = 100

const request = (port, path) =>
  `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: keep-alive\r\n\r\n`

/** Resolves with a connection whose request was answered with 200. */
async function open(port, path) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  socket.write(request(port, path))
  const [head] = await once(socket, 'data')
  if (head.latin1Slice(0, 12) !== 'HTTP/1.1 200') throw new Error(head.toString())
  socket.on('close', () => {
    if (isOpen) process.send({ error: 'The server has closed an idle connection' })
  })
  return socket.resume()
}

let isOpen = false
let sockets = []

process.on('message', async ({ port, path, count }) => {
  for (const socket of sockets) {
    socket.removeAllListeners('close')
    socket.destroy()
  }
  sockets = []
  isOpen = count > 0
  while (sockets.length < count) {
    const batch = Math.min(BATCH, count - sockets.length)
    sockets.push(...(await Promise.all(Array.from({ length: batch }, () => open(port, path)))))
  }
  process.send({ open: sockets.length })
})
process.on('disconnect', () => process.exit())
