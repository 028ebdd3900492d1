import { Server } from 'node:net'
import type { Ports } from '../protocol.js'
import type { Channel } from './channel.js'

type Listen = (this: Server, ...args: unknown[]) => Server

/** Has each server of the application wait before it listens, until the process before this one has ended. */
export function gateServers(channel: Channel, gate: Promise<Ports>): void {
  const real = Server.prototype.listen as Listen
  let count = 0
  const listen: Listen = function listen(...args) {
    const id = ++count
    this.once('listening', () => {
      const address = this.address()
      const port = typeof address === 'object' ? (address?.port ?? 0) : 0
      channel.send({ kind: 'listening', id, port })
    })
    channel.send({ kind: 'listen' })
    void channel.wait(gate).then((ports) => real.apply(this, withPort(args, ports, id)))
    return this
  }
  Server.prototype.listen = listen as typeof Server.prototype.listen
}

/** The arguments of `listen` with the port that the server shall have. */
function withPort(args: unknown[], { first, last }: Ports, id: number): unknown[] {
  const [place, ...rest] = args
  const asked = portOf(place)
  if (asked === undefined) return args
  const port = (id === 1 ? first : undefined) ?? (asked === 0 ? last[id] : undefined) ?? asked
  if (typeof place === 'object' && place !== null) return [{ ...place, port }, ...rest]
  return [port, ...(typeof place === 'function' ? args : rest)]
}

/** The port that an application names; `undefined` for a path, a handle or a descriptor, and for values that Node refuses. */
function portOf(place: unknown): number | undefined {
  if (place == null || typeof place === 'function') return 0
  const isObject = typeof place === 'object'
  if (isObject && !('port' in place)) return undefined
  const port = Number((isObject ? (place as { readonly port: unknown }).port : place) ?? 0)
  return Number.isInteger(port) && port >= 0 && port <= 65_535 ? port : undefined
}
