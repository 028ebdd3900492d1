import { type ChildMessage, opened, type ParentMessage } from '../protocol.js'

/** The channel to the command. The process of the application ends with it. */
export class Channel {
  #waiting = 0

  constructor(receive: (message: ParentMessage) => void) {
    process.on('message', (message) => {
      const own = opened<ParentMessage>(message)
      if (own !== undefined) receive(own)
    })
    // The terminal was closed, or the command was killed.
    process.on('disconnect', () => process.exit(0))
    // The channel must not keep a process alive that would end without the command.
    process.channel?.unref()
  }

  send(message: ChildMessage): void {
    if (process.connected) process.send?.({ blazon: message }, () => {})
  }

  /** Waits for a message of the command. A process that waits must not end. */
  async wait<T>(received: Promise<T>): Promise<T> {
    if (this.#waiting++ === 0) process.channel?.ref()
    const result = await received
    if (--this.#waiting === 0) process.channel?.unref()
    return result
  }
}
