import { Socket } from 'node:net'
import { App, type Request } from 'blazon'
import { postgres } from 'blazon/postgres'
import { IdempotentOrders } from './idempotent-orders.js'

// An application that kills itself before or after it sends its n-th packet to the database, as a request says. Prints the
// port that it listens on.

const url = process.env['CRASH_URL'] ?? ''
let left = Number.POSITIVE_INFINITY
let isAfter = false

const { write } = Socket.prototype
Socket.prototype.write = function (this: Socket, ...args: Parameters<typeof write>) {
  const isLast = this.remotePort === Number(new URL(url).port) && --left === 0
  if (isLast && !isAfter) process.kill(process.pid, 'SIGKILL')
  const result = write.apply(this, args)
  if (isLast) process.kill(process.pid, 'SIGKILL')
  return result
} as typeof write

const app = await App.create({
  controllers: [IdempotentOrders],
  plugins: [postgres({ url, connections: 4 })],
  middlewares: [
    (req: Request, _res, next) => {
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
