import { isMainThread } from 'node:worker_threads'
import { type ChildMessage, opened, PARENT_VARIABLE, type ParentMessage } from '../protocol.js'

type Socket = import('node:net').Socket
type Receive = (message: ParentMessage, socket: Socket | undefined) => void

/**
 * Whether the command has started this process. Programs and threads that the application starts inherit Node's options,
 * and load this file, too.
 */
export function isStartedByCommand(): boolean {
  const parent = Number(process.env[PARENT_VARIABLE])
  return isMainThread && process.ppid === parent && process.send !== undefined
}

/** The channel to the command. The process of the application ends with it. */
export class Channel {
  #holders = 0

  constructor(receive: Receive) {
    process.on('message', (message, socket) => {
      const own = opened<ParentMessage>(message)
      if (own !== undefined) receive(own, socket as Socket | undefined)
    })
    // The terminal was closed, or the command was killed.
    process.on('disconnect', () => process.exit(0))
    // Without a server, nothing shall keep the process alive that would not do so without the command.
    process.channel?.unref()
  }

  send(message: ChildMessage, done?: () => void): void {
    if (process.connected !== true) return done?.()
    process.send?.({ blazon: message }, () => done?.())
  }

  /** Keeps the process alive until the returned function is called. */
  hold(): () => void {
    if (this.#holders++ === 0) process.channel?.ref()
    let isHeld = true
    return () => {
      if (isHeld && --this.#holders === 0) process.channel?.unref()
      isHeld = false
    }
  }
}
