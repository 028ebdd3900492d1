// Requests of which every answer matters.
import { Agent, request } from 'node:http'

const agent = new Agent({ keepAlive: true, maxSockets: 32 })

/** Sends a request; what is told is its status, headers and body. */
export function ask(port, path, { method = 'GET', headers = {} } = {}) {
  return new Promise((resolve, reject) => {
    const req = request({ host: '127.0.0.1', port, path, method, headers, agent }, (res) => {
      let text = ''
      res.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
      })
      res.on('end', () => resolve({ status: res.statusCode, headers: res.headers, text }))
      res.on('error', reject)
    })
    req.on('error', reject).end()
  })
}

/** How often handlers have run in a process. */
export async function handlerCalls(port) {
  return JSON.parse((await ask(port, '/made')).text).data.made
}
