import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { App, Body, Controller, Post, type Request } from 'blazon'
import { expect, it, onTestFinished } from 'vitest'

@Controller('texts')
class Texts {
  @Body({ type: 'text' })
  @Post()
  length(req: Request) {
    return { length: String(req.body).length }
  }
}

/** Sends a head, and its body only after the server has read the head. */
async function statusOf(port: number, length: number): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  const head = `POST /texts HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nExpect: 100-continue\r\nConnection: close\r\n`
  socket.write(`${head}Content-Length: ${length}\r\n\r\n`)
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk) => {
    if (text === '' && String(chunk).startsWith('HTTP/1.1 100')) socket.write('x'.repeat(length))
    text += chunk
  })
  await once(socket, 'close')
  return /HTTP\/1\.1 (?!100)(\d+)/.exec(text)?.[1] ?? ''
}

it('a body that arrives after its head can have exactly the permitted length', async () => {
  const app = new App({ controllers: [Texts], limits: { body: 10 }, logger: false })
  onTestFinished(() => app.close())
  const { port } = (await app.listen(0, '127.0.0.1')) as AddressInfo
  expect([await statusOf(port, 10), await statusOf(port, 11)]).toEqual(['200', '413'])
})
