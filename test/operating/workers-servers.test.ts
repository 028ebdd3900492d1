import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { freePort } from '../cli/dev-run.js'
import { Crew } from './workers.js'

/** Two applications in one process: the second one is for people inside of the company. */
const servers = (first: string, second: string, ports: Readonly<Record<string, number>>) => `
for (const [name, port] of ${JSON.stringify([
  [first, ports[first]],
  [second, ports[second]],
])}) {
  const app = new App({ controllers: [controller({ 'GET who': () => name })] })
  await app.listen(port)
}
`

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1')
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  expect(await whoOn(socket)).toBe('public')
  return socket
}

/** Which application responds on a connection; `null` if the server has ended the connection. */
async function whoOn(socket: Socket): Promise<string | null> {
  if (socket.readableEnded || socket.destroyed) return null
  let text = ''
  socket.write('GET /who HTTP/1.1\r\nHost: localhost\r\n\r\n')
  return await new Promise((resolve) => {
    const ended = () => resolve(null)
    socket.once('close', ended).once('end', ended)
    socket.on('data', function read(part: string) {
      text += part
      const [, name] = /"data":"(\w+)"/.exec(text) ?? []
      if (name === undefined) return
      socket.off('data', read).off('close', ended).off('end', ended)
      resolve(name)
    })
  })
}

it('gives connections to the server of their own port, in whichever order the next version listens', async () => {
  const ports = { public: await freePort(), internal: await freePort() }
  const crew = await Crew.start(servers('public', 'internal', ports))
  const clients = await Promise.all(Array.from({ length: 8 }, () => open(ports.public)))
  crew.service.rewrite(servers('internal', 'public', ports))
  await crew.restart()
  const answers = await Promise.all(clients.map(whoOn))
  expect(answers).toContain('public')
  expect(answers).not.toContain('internal')
  expect(await crew.end()).toBe(0)
})
