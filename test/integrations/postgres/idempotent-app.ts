import { Socket } from 'node:net'
import { App, type Request, type Response } from 'blazon'
import { postgres } from 'blazon/postgres'
import { IdempotentOrders } from './idempotent-orders.js'

// An application that kills itself before or after it sends its n-th packet to the database, as a request says. Prints the
// port that it listens on.

const url = process.env['CRASH_URL'] ?? ''
let left = Number.POSITIVE_INFINITY
let sent = 0
let isAfter = false

/** Node's own method that hands bytes to the system: `write` gathers them first. */
const sockets = Socket.prototype as unknown as {
  _writeGeneric(this: Socket, ...args: unknown[]): unknown
}
const { _writeGeneric: send } = sockets
sockets._writeGeneric = function (...args) {
  const isOurs = this.remotePort === Number(new URL(url).port)
  if (isOurs) sent++
  const isLast = isOurs && --left === 0
  if (isLast && !isAfter) process.kill(process.pid, 'SIGKILL')
  const result = send.apply(this, args)
  if (isLast) process.kill(process.pid, 'SIGKILL')
  return result
}

const app = await App.create({
  controllers: [IdempotentOrders],
  plugins: [postgres({ url, connections: 4 })],
  middlewares: [
    (req: Request, res: Response, next) => {
      if (req.path === '/packets') return void res.json(sent)
      sent = 0
      const [moment, count] = req.get('x-kill')?.split(' ') ?? []
      isAfter = moment === 'after'
      left = Number(count ?? Number.POSITIVE_INFINITY)
      next()
    },
  ],
  tenant: {},
})
const { port } = await app.listen(0, { host: '127.0.0.1', announce: false })
console.log(port)
