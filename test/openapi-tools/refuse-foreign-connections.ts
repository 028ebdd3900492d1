import { Socket } from 'node:net'

/** The hosts to which tests may connect. */
const LOOPBACK = new Set(['localhost', '127.0.0.1', '::1'])

const connect = Socket.prototype.connect

/** The host of a call of `connect`, in any of its forms; `undefined` for a path (a pipe). */
function hostOf(args: unknown[]): string | undefined {
  // `net.connect` passes its arguments as one normalized array.
  const [first, second] = Array.isArray(args[0]) ? args[0] : args
  if (typeof first === 'object' && first !== null) {
    const { path, host } = first as { path?: string; host?: string }
    return path == null ? (host ?? 'localhost') : undefined
  }
  return typeof second === 'string' ? second : 'localhost'
}

// Some of the tools report their use, or fetch references of a document. Here this fails.
Socket.prototype.connect = function (this: Socket, ...args: unknown[]) {
  const host = hostOf(args)
  if (host !== undefined && !LOOPBACK.has(host)) {
    throw new Error(`A tool wanted to connect to ${host}.`)
  }
  return connect.apply(this, args as Parameters<typeof connect>)
} as typeof connect
