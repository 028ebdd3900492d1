import { connect } from 'node:net'

/** Sends bytes to a port of this machine, and returns everything that arrives until the server closes. */
export function rawExchange(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect({ port, host: '127.0.0.1' })
    socket.setEncoding('utf8')
    socket.on('data', (part) => {
      text += part
    })
    socket.on('end', () => resolve(text))
    socket.on('error', reject)
    socket.write(bytes)
  })
}

/** The headers and the body of a raw response. */
export function partsOf(response: string): { head: string; body: unknown } {
  const [head = '', body = ''] = response.split('\r\n\r\n')
  return { head, body: JSON.parse(body) }
}
