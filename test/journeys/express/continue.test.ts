import { once } from 'node:events'
import { connect } from 'node:net'
import { App, type Middleware } from 'blazon'
import { expect, it, onTestFinished } from 'vitest'

/** Everything that the server sends to a client that waits for 100 Continue before its body. */
async function received(middleware: Middleware): Promise<string> {
  const app = await App.create({ controllers: [], middlewares: [middleware], logger: false })
  onTestFinished(() => app.close())
  const { port } = await app.listen(0, '127.0.0.1')
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  const head = 'Host: x\r\nConnection: close\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n'
  socket.write(`POST / HTTP/1.1\r\n${head}`)
  await expect.poll(() => text).toContain('\r\n\r\n')
  socket.write('body')
  await once(socket, 'close')
  return text
}

it('100 Continue is sent when a body is read before the response', async () => {
  const text = await received((req, res) => {
    req.resume().on('end', () => res.end('done'))
  })
  expect(text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n.*done$/s)
})

it('100 Continue is not sent when a body is read after the response has begun', async () => {
  const text = await received((req, res) => {
    res.write('begun ')
    req.resume().on('end', () => res.end('done'))
  })
  expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  expect(text).not.toContain('100 Continue')
})
